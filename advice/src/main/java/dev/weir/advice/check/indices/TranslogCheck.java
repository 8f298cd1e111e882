package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** Indices whose writes are acknowledged before they are on disk. */
public final class TranslogCheck implements Check {
  private static final String KEY = "index.translog.durability";

  @Override
  public String name() {
    return "translog";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(index -> index.setting(KEY, "").equalsIgnoreCase("async"))
        .map(index ->
            new Finding(
                name(),
                Severity.ADVICE,
                index.name(),
                "async, synced every "
                    + index.setting("index.translog.sync_interval", "5s")
                    + " (expected: request)",
                "A crash of the nodes loses the acknowledged writes since the last sync.",
                Mend.of("Bulks then wait for the disk; larger bulks make up for it.")
                    .indexSettings(index.name(), "{\"" + KEY + "\": null}")))
        .toList();
  }
}
