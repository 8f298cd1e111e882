{{- define "weir.name" -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "weir.policy" -}}
{{- if .Values.policyText }}
{{- .Values.policyText }}
{{- else }}
{{- if not .Values.policy.clusters }}
{{- fail "got no policy.clusters (expected: one or more, such as --set 'policy.clusters.main.seeds={opensearch-headless:9300}')" }}
{{- end }}
{{- range $name, $cluster := .Values.policy.clusters }}
{{- if not (or (get $cluster "authorization") (dig "transport-tls" "enabled" false $cluster)) }}
{{- fail (printf "got no policy.clusters.%s.authorization (expected: none if every client may do everything in this cluster, delegate if its nodes check clients, or gateway)" $name) }}
{{- end }}
{{- end }}
{{- range $name := list "http" "admin" "health" }}
{{- $listen := dig $name "listen" "" $.Values.policy }}
{{- if not (or (contains "${" $listen) (hasSuffix (printf ":%d" (int (get $.Values.ports $name))) $listen)) }}
{{- fail (printf "got policy.%s.listen %s (expected: port %d, the value of ports.%s)" $name $listen (int (get $.Values.ports $name)) $name) }}
{{- end }}
{{- end }}
{{- if not .Values.policy.health.enabled }}
{{- fail "got policy.health.enabled false (expected: true, for the probes of the pods)" }}
{{- end }}
{{- $policy := deepCopy .Values.policy }}
{{- if .Values.adminToken.secretName }}
{{- $_ := set $policy.admin "token" "${file:/etc/weir-admin/token}" }}
{{- end }}
{{- if .Values.cursorSecret.secretName }}
{{- $export := dict "cursor-secret" "${file:/etc/weir-cursor/secret}" }}
{{- $policy = mergeOverwrite $policy (dict "responses" (dict "export" $export)) }}
{{- end }}
{{- toYaml $policy }}
{{- end }}
{{- end }}

{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
