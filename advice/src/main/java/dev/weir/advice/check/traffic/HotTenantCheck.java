package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.TrafficFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tenants that take most of the time, with nothing that bounds them. */
public final class HotTenantCheck implements Check {
  /** The share of the time of all requests from which on one tenant decides how others fare. */
  static final double MIN_SHARE = 0.6;

  /** Fewer requests say little. */
  static final long MIN_REQUESTS = 1000;

  @Override
  public String name() {
    return "hot-tenant";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.TRAFFIC, ApiSource.GATEWAY_CONFIG);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    TrafficFacts.Usage usage = snapshot.traffic().byTenant();
    if (usage.totalRequests() < MIN_REQUESTS || usage.namesInUse() < 2) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    usage
        .top()
        .forEach((tenant, count) -> {
          if (count.tookMillis() > MIN_SHARE * usage.totalMillis()
              && !snapshot.traffic().bounds().cover(tenant)) {
            findings.add(
                new Finding(
                    name(),
                    Severity.HINT,
                    tenant,
                    Math.round(100.0 * count.tookMillis() / usage.totalMillis())
                        + " % of the time of all requests, "
                        + count.requests()
                        + " of "
                        + usage.totalRequests()
                        + " requests, of "
                        + usage.namesInUse()
                        + " tenants",
                    "Where nodes are full, each tenant gets the same share. A weight below 1 gives"
                        + " the others more; a weight of 1 says that this is intended.",
                    Mend.of("A rate limit (admission.pacing) bounds the tenant at all times.")
                        .with(
                            new MendStep.GatewaySetting(
                                "admission: {tenants: {weights: {\"" + tenant + "\": 0.5}}}"))));
          }
        });
    return findings;
  }
}
