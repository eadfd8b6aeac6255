{{- define "kethub.labels" -}}
app.kubernetes.io/name: kethub
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "kethub.selector" -}}
app.kubernetes.io/name: kethub
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "kethub.image" -}}
{{- if eq .role "worker" }}{{ .root.Values.images.worker }}{{ else }}{{ .root.Values.images.platform }}{{ end }}
{{- end }}

{{- /* Settings of a process: those of all roles, those of its own role, and what the chart decides. */}}
{{- define "kethub.environment" -}}
{{- $own := dict }}
{{- with index .root.Values .role }}{{ $own = .settings }}{{ end }}
{{- range $name, $value := merge (dict) $own .root.Values.settings }}
{{- if has $name (list "DATABASE_URL" "KETHUB_INSTANCE_KEY" "KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET" "KETHUB_S3_SECRET_ACCESS_KEY" "KETHUB_SIGN_IN_CLIENT_SECRET" "KETHUB_SMTP_URL") }}
{{- fail (printf "settings: %s is a secret. Put it into the Secret that existingSecret names: everybody who sees a pod sees its settings." $name) }}
{{- end }}
{{- /* Helm reads every number of a file as a fraction, and would write a million as 1e+06. */}}
{{- if and (kindIs "float64" $value) (eq $value (floor $value)) }}{{ $value = int64 $value }}{{ end }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
- name: KETHUB_ROLES
  value: {{ .role | quote }}
{{- if and (eq .role "git") (eq .root.Values.git.existingClaim (include "kethub.olderClaim" .root)) }}
# That chart kept the repositories at the top of the volume.
- name: KETHUB_DATA_DIR
  value: /var/lib/kethub
{{- else }}
# The volume belongs to root, and only an owner may close a folder to others.
- name: KETHUB_DATA_DIR
  value: /var/lib/kethub/data
{{- end }}
- name: KETHUB_DRAIN_SECONDS
  value: {{ .root.Values.drainSeconds | quote }}
{{- if .root.Values.metrics.enabled }}
- name: KETHUB_METRICS_PORT
  value: {{ .root.Values.metrics.port | quote }}
- name: KETHUB_METRICS_HOST
  value: '0.0.0.0'
{{- end }}
{{- end }}

{{- define "kethub.secrets" -}}
{{- $name := required "existingSecret: name a Secret with DATABASE_URL and KETHUB_INSTANCE_KEY" .root.Values.existingSecret }}
{{- $namespace := .root.Release.Namespace }}
{{- /* Every namespace of a cluster has this one. Without a cluster, as in helm template, nothing can be looked up. */}}
{{- if lookup "v1" "ConfigMap" $namespace "kube-root-ca.crt" }}
{{- $secret := lookup "v1" "Secret" $namespace $name }}
{{- $create := printf "kubectl --namespace %s create secret generic %s --from-literal=DATABASE_URL=postgres://... --from-literal=KETHUB_INSTANCE_KEY=$(openssl rand -hex 32)" $namespace $name }}
{{- if not $secret }}{{ fail (printf "existingSecret: the namespace %s has no Secret %s. Make it: %s" $namespace $name $create) }}{{ end }}
{{- range list "DATABASE_URL" "KETHUB_INSTANCE_KEY" }}
{{- if not (hasKey (default dict $secret.data) .) }}{{ fail (printf "existingSecret: the Secret %s of the namespace %s has no entry %s. Add it to the Secret." $name $namespace .) }}{{ end }}
{{- end }}
{{- end }}
envFrom:
  - secretRef:
      name: {{ $name }}
{{- end }}

{{- /* Name of the claim that a StatefulSet for git had. */}}
{{- define "kethub.olderClaim" -}}
data-{{ .Release.Name }}-git-0
{{- end }}

{{- /* Name of the claim with the repositories. A claim of a StatefulSet is never left behind unnoticed. */}}
{{- define "kethub.gitClaim" -}}
{{- $namespace := .Release.Namespace }}
{{- $named := .Values.git.existingClaim }}
{{- $older := include "kethub.olderClaim" . }}
{{- if and (not $named) (lookup "v1" "PersistentVolumeClaim" $namespace $older) }}
{{- fail (printf "git.existingClaim: the claim %s of the namespace %s has the repositories of an older chart. Go on with it: --set git.existingClaim=%s. Without those repositories: kubectl --namespace %s delete pvc %s" $older $namespace $older $namespace $older) }}
{{- end }}
{{- if and $named (lookup "v1" "ConfigMap" $namespace "kube-root-ca.crt") (not (lookup "v1" "PersistentVolumeClaim" $namespace $named)) }}
{{- fail (printf "git.existingClaim: the namespace %s has no claim %s. Correct the name, or leave it out for a new claim." $namespace $named) }}
{{- end }}
{{- default (printf "%s-git" .Release.Name) $named }}
{{- end }}

{{- /* The rights of a pod without sandboxes. */}}
{{- define "kethub.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- /* The rights of a pod whose programs run in sandboxes. */}}
{{- define "kethub.sandboxing" -}}
{{- if eq .root.Values.sandbox.kind "privileged" }}
privileged: true
readOnlyRootFilesystem: true
{{- else }}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
procMount: Unmasked
{{- with .root.Values.sandbox.seccompProfile }}
seccompProfile: { type: Localhost, localhostProfile: {{ . | quote }} }
{{- else }}
seccompProfile: { type: Unconfined }
{{- end }}
{{- if .root.Values.sandbox.withoutAppArmor }}
appArmorProfile: { type: Unconfined }
{{- end }}
{{- end }}
{{- end }}

{{- define "kethub.pod" -}}
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
# The variables by which Kubernetes announces services would be settings that Kethub does not know.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "kethub.container" -}}
name: kethub
image: {{ include "kethub.image" . }}
imagePullPolicy: {{ .root.Values.images.pullPolicy }}
# The words with which a process refuses to start are in `kubectl describe pod`.
terminationMessagePolicy: FallbackToLogsOnError
{{- include "kethub.secrets" . | nindent 0 }}
ports:
  - { name: http, containerPort: {{ .port }} }
{{- if .root.Values.metrics.enabled }}
  - { name: metrics, containerPort: {{ .root.Values.metrics.port }} }
{{- end }}
startupProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /ready, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
resources: {{- toYaml (index .root.Values .role).resources | nindent 2 }}
volumeMounts:
  - { name: data, mountPath: /var/lib/kethub }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "kethub.podAnnotations" -}}
{{- if .root.Values.metrics.enabled }}
prometheus.io/scrape: 'true'
prometheus.io/port: {{ .root.Values.metrics.port | quote }}
{{- end }}
{{- end }}
