package dev.weir.gateway.stats;

import dev.weir.gateway.network.CertificateWatcher;
import dev.weir.gateway.network.ReloadableTlsContext;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports the certificates of the gateway: the section {@code certificates} of {@code /stats}, and
 * its metrics.
 */
public record CertificateStatsReporter(CertificateWatcher watcher) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> sections = new LinkedHashMap<>();
    for (ReloadableTlsContext context : watcher.contexts()) {
      Map<String, Object> one = new LinkedHashMap<>();
      Instant expires = context.expires();
      if (expires != null) {
        one.put("expires", expires.toString());
      }
      one.put("reloads", context.reloads());
      String problem = context.problem();
      if (problem != null) {
        one.put("problem", problem);
      }
      sections.put(context.section(), one);
    }
    return Map.of("certificates", sections);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<ReloadableTlsContext>(
            watcher::contexts,
            CertificateStatsReporter::labels,
            List.of(
                Column.counter(
                    "weir_tls_reloads",
                    "Changed certificate files that came into use",
                    ReloadableTlsContext::reloads),
                Column.gauge(
                    "weir_tls_files_rejected",
                    "1 while changed certificate files are broken and those before are in use",
                    context -> context.problem() == null ? 0 : 1))));
    metrics.table(
        new MetricTable<ReloadableTlsContext>(
            this::withCertificate,
            CertificateStatsReporter::labels,
            List.of(
                Column.gauge(
                    "weir_tls_certificate_expiry_timestamp_seconds",
                    "When the certificate that the gateway presents expires, in Unix time",
                    CertificateStatsReporter::expirySeconds))));
  }

  private static Map<String, String> labels(ReloadableTlsContext context) {
    return Map.of("section", context.section());
  }

  private List<ReloadableTlsContext> withCertificate() {
    return watcher.contexts().stream().filter(context -> context.expires() != null).toList();
  }

  private static double expirySeconds(ReloadableTlsContext context) {
    Instant expires = context.expires();
    return expires == null ? 0 : expires.getEpochSecond();
  }
}
