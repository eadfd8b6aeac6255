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
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
- name: KETHUB_ROLES
  value: {{ .role | quote }}
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
envFrom:
  - secretRef:
      name: {{ required "existingSecret: name a Secret with DATABASE_URL and KETHUB_INSTANCE_KEY" .root.Values.existingSecret }}
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
seccompProfile: { type: Unconfined }
appArmorProfile: { type: Unconfined }
{{- end }}
{{- end }}

{{- define "kethub.pod" -}}
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
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
