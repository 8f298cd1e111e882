package dev.weir.advice;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Runs checks.
 *
 * @param checks which ones
 */
public record Advisor(List<Check> checks) {
  /** The findings of one check: the worst are enough to act on. */
  static final int MAX_FINDINGS_PER_CHECK = 10;

  /** Copies the list. */
  public Advisor {
    checks = List.copyOf(checks);
  }

  /** Creates an advisor with all checks. */
  public static Advisor ofAllChecks() {
    return new Advisor(CheckCatalog.all());
  }

  /** Runs the checks. */
  public Advice advise(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    Map<String, Integer> omitted = new TreeMap<>();
    Map<String, String> notRun = new TreeMap<>();
    for (Check check : checks) {
      Set<ApiSource> missing = EnumSet.noneOf(ApiSource.class);
      missing.addAll(check.needs());
      missing.retainAll(snapshot.unavailable().keySet());
      if (missing.isEmpty()) {
        List<Finding> found = new ArrayList<>(check.run(snapshot));
        found.sort(Comparator.comparing(Finding::severity));
        findings.addAll(found.subList(0, Math.min(found.size(), MAX_FINDINGS_PER_CHECK)));
        if (found.size() > MAX_FINDINGS_PER_CHECK) {
          omitted.put(check.name(), found.size() - MAX_FINDINGS_PER_CHECK);
        }
      } else {
        ApiSource first = missing.iterator().next();
        String path = first.path().replaceFirst("\\?.*", "");
        notRun.put(check.name(), "GET " + path + ": " + snapshot.unavailable().get(first));
      }
    }
    findings.sort(Comparator.comparing(Finding::severity));
    return new Advice(
        checks.size() - notRun.size(),
        List.copyOf(findings),
        Map.copyOf(omitted),
        new TreeMap<>(notRun));
  }
}
