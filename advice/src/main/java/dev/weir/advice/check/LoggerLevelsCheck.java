package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Loggers that somebody has left at a verbose level. */
public final class LoggerLevelsCheck implements Check {
  @Override
  public String name() {
    return "logger-levels";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    snapshot
        .settings()
        .setWithPrefix("logger.")
        .forEach((key, level) -> {
          String upper = level.toUpperCase(Locale.ROOT);
          if (upper.equals("DEBUG") || upper.equals("TRACE") || upper.equals("ALL")) {
            findings.add(
                new Finding(
                    name(),
                    Severity.ADVICE,
                    key,
                    upper + " (expected: INFO)",
                    "Every node formats and writes these lines, often on the thread of a request.",
                    Mend.of("").clusterSettings(snapshot.settings().removal(List.of(key)))));
          }
        });
    return findings;
  }
}
