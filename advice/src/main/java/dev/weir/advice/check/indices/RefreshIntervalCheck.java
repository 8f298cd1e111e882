package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.client.settings.TimeValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Refreshes that are off, or more frequent than many writes bear. */
public final class RefreshIntervalCheck implements Check {
  private static final String KEY = "index.refresh_interval";

  /**
   * Fewer writes than these since the shards were opened are no heavy load. Refreshes of the
   * default, one second, stop while nobody searches; those of a value that is set do not.
   */
  static final long MANY_WRITES = 1_000_000;

  /** Refreshes this often, or more often, are frequent. */
  static final long FREQUENT_MILLIS = 2000;

  @Override
  public String name() {
    return "refresh-interval";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      String interval = index.setting(KEY, "");
      if (interval.startsWith("-1")) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                index.name(),
                "refreshes are off (expected: on, unless a load is under way)",
                "Searches do not see new documents. The setting is often left over from a load.",
                Mend.of("First see that no load is under way.")
                    .indexSettings(index.name(), "{\"" + KEY + "\": null}")));
      } else if (isFrequent(interval) && index.size().indexed() >= MANY_WRITES) {
        findings.add(
            new Finding(
                name(),
                Severity.HINT,
                index.name(),
                interval
                    + " with "
                    + index.size().indexed()
                    + " writes since the shards were opened (expected: 5s at least, or unset)",
                "Every refresh writes a segment, and merges write it again. Unset, refreshes stop"
                    + " while nobody searches.",
                Mend.of("New documents are then found after up to 30 s.")
                    .indexSettings(index.name(), "{\"" + KEY + "\": \"30s\"}")));
      }
    }
    return findings;
  }

  /** An interval of 0 turns refreshes off. */
  private static boolean isFrequent(String interval) {
    long millis = TimeValues.toMillis(interval);
    return millis > 0 && millis <= FREQUENT_MILLIS;
  }
}
