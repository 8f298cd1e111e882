package dev.weir.core.actions.authorization;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports authorization in the gateway: the section {@code gateway_authorization}, and its metrics.
 */
public record GatewayAuthorizationStatsReporter(GatewayAuthorization authorization)
    implements StatsReporter {
  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public Map<String, Object> sections() {
    AuthorizationCounts counts = authorization.counts();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("authorized_requests", counts.authorized());
    shown.put("checks", counts.checks());
    shown.put("cache_hits", counts.hits());
    shown.put("check_failures", counts.failures());
    shown.put("unnamed_calls", counts.unnamedCalls());
    shown.put("configuration_age_seconds", ageSeconds());
    return Map.of("gateway_authorization", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    AuthorizationCounts counts = authorization.counts();
    metrics
        .counter(
            "weir_authorization_requests",
            "Requests that the gateway coordinated for a user of a secured cluster",
            counts::authorized)
        .counter(
            "weir_authorization_checks",
            "Questions asked of nodes about users, permissions and the security configuration",
            counts::checks)
        .counter(
            "weir_authorization_cache_hits",
            "Questions about users and permissions answered from the cache",
            counts::hits)
        .counter(
            "weir_authorization_check_failures",
            "Questions about users and permissions without a usable answer",
            counts::failures)
        .counter(
            "weir_authorization_unnamed_calls",
            "Calls not sent to a node because they named no user",
            counts::unnamedCalls)
        .gauge(
            "weir_authorization_configuration_age_seconds",
            "Age of the security configuration that the gateway has read; negative before the"
                + " first",
            this::ageSeconds);
  }

  private double ageSeconds() {
    long nanos = authorization.rules().ageNanos();
    return nanos < 0 ? -1 : nanos / NANOS_PER_SECOND;
  }
}
