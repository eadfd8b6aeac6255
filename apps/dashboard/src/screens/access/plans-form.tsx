import type { Metering } from '@kethub/contract';
import { ActionIcon, Button, Select, TextInput } from '@mantine/core';
import { complaintAt } from '../../forms/problem-at.tsx';
import { Icon } from '../../look/icons.tsx';
import { METERINGS, PLAN_TYPES } from '../../look/market.ts';
import { NEW_PLAN, NEW_PRODUCT, type PlanDraft, type ProductDraft } from './listing-draft.ts';

/** Plans of one offer that the platform takes. */
const MOST_PLANS = 10;
const TYPES = Object.entries(PLAN_TYPES).map(([value, label]) => ({ value, label }));

/** The plans of an offer, each with its prices. */
export function PlansForm({
  plans,
  onChange,
  error,
  isOnPremise,
}: {
  readonly plans: readonly PlanDraft[];
  readonly onChange: (plans: readonly PlanDraft[]) => void;
  readonly error: unknown;
  readonly isOnPremise: boolean;
}) {
  return (
    <fieldset className="group">
      <legend>Plans</legend>
      <div className="stack">
        {plans.map((plan, index) => (
          <OnePlan
            key={index}
            number={index + 1}
            plan={plan}
            error={error}
            at={`/pricingPlans/${index}`}
            isOnPremise={isOnPremise}
            onChange={(changed) => onChange(plans.with(index, changed))}
            onRemove={() => onChange(plans.toSpliced(index, 1))}
          />
        ))}
        <p className="field-error">{complaintAt(error, '/pricingPlans')}</p>
        {plans.length < MOST_PLANS && (
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="plus" size={13} />}
              onClick={() => onChange([...plans, NEW_PLAN])}
            >
              Add a plan
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  );
}

function OnePlan({
  number,
  plan,
  error,
  at,
  isOnPremise,
  onChange,
  onRemove,
}: {
  readonly number: number;
  readonly plan: PlanDraft;
  readonly error: unknown;
  /** JSON Pointer of the plan. */
  readonly at: string;
  readonly isOnPremise: boolean;
  readonly onChange: (plan: PlanDraft) => void;
  readonly onRemove: () => void;
}) {
  const setType = (type: PlanDraft['type']): void =>
    onChange({
      ...plan,
      type,
      products: type === 'COMMERCIAL' && plan.products.length === 0 ? [NEW_PRODUCT] : plan.products,
    });
  const types = Object.keys(PLAN_TYPES) as PlanDraft['type'][];
  return (
    <div className="stack plan" role="group" aria-label={`Plan ${number}`}>
      <div className="fields">
        <TextInput
          label="Name of the plan"
          required
          maxLength={100}
          value={plan.name}
          error={complaintAt(error, `${at}/name`) ?? complaintAt(error, `${at}/id`)}
          onChange={(event) => onChange({ ...plan, name: event.currentTarget.value })}
        />
        <Select
          label="Type"
          allowDeselect={false}
          openOnFocus={false}
          data={TYPES}
          value={plan.type}
          error={complaintAt(error, `${at}/type`) ?? complaintAt(error, `${at}/products`)}
          onChange={(type) => setType(types.find((one) => one === type) ?? plan.type)}
        />
        {plan.type === 'ON_REQUEST' && (
          <TextInput
            label="How to reach you"
            required
            maxLength={1_000}
            value={plan.contact}
            error={complaintAt(error, `${at}/contact`)}
            onChange={(event) => onChange({ ...plan, contact: event.currentTarget.value })}
          />
        )}
        <ActionIcon
          variant="default"
          size={36}
          aria-label={`Remove plan ${number}`}
          onClick={onRemove}
          style={{ alignSelf: 'end' }}
        >
          <Icon name="close" size={15} />
        </ActionIcon>
      </div>
      {plan.type === 'COMMERCIAL' && (
        <>
          {plan.products.map((product, index) => (
            <OneProduct
              key={index}
              product={product}
              error={error}
              at={`${at}/products/${index}`}
              isOnPremise={isOnPremise}
              onChange={(changed) => onChange({ ...plan, products: plan.products.with(index, changed) })}
              onRemove={() => onChange({ ...plan, products: plan.products.toSpliced(index, 1) })}
              isOnly={plan.products.length === 1}
            />
          ))}
          <div>
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => onChange({ ...plan, products: [...plan.products, NEW_PRODUCT] })}
            >
              Charge for something else as well
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

function OneProduct({
  product,
  error,
  at,
  isOnPremise,
  onChange,
  onRemove,
  isOnly,
}: {
  readonly product: ProductDraft;
  readonly error: unknown;
  /** JSON Pointer of the product. */
  readonly at: string;
  readonly isOnPremise: boolean;
  readonly onChange: (product: ProductDraft) => void;
  readonly onRemove: () => void;
  readonly isOnly: boolean;
}) {
  const meterings = (Object.keys(METERINGS) as Metering[]).filter((one) => isOnPremise || one !== 'REPORTED');
  const text = (label: string, name: 'name' | 'unit' | 'unitPrice' | 'currency', width = 100) => (
    <TextInput
      label={label}
      required
      maxLength={width}
      value={product[name]}
      error={complaintAt(error, `${at}/${name}`)}
      onChange={(event) => onChange({ ...product, [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className="fields">
      {text('What is charged', 'name')}
      <Select
        label="Counted"
        allowDeselect={false}
        openOnFocus={false}
        data={meterings.map((value) => ({ value, label: METERINGS[value] }))}
        value={product.metering}
        error={complaintAt(error, `${at}/metering`)}
        onChange={(metering) =>
          onChange({ ...product, metering: meterings.find((one) => one === metering) ?? product.metering })
        }
      />
      {text('Price of a unit', 'unitPrice', 20)}
      {text('Currency', 'currency', 3)}
      {text('Unit', 'unit', 50)}
      {!isOnly && (
        <ActionIcon
          variant="default"
          size={36}
          aria-label={`Remove ${product.name}`}
          onClick={onRemove}
          style={{ alignSelf: 'end' }}
        >
          <Icon name="close" size={15} />
        </ActionIcon>
      )}
    </div>
  );
}
