package dev.weir.advice.check.indices;

import dev.weir.advice.check.ReadOnlyBlock;
import dev.weir.advice.check.WeirPlugins;
import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.model.DisplayFormat;
import java.util.List;
import java.util.Set;

/** Large indices that are no longer written, with stored fields compressed by LZ4. */
public final class CodecCheck implements Check {
  /** Below this size the bytes that another codec saves are not worth the merge. */
  static final long MIN_BYTES = 1L << 30;

  private static final String CODEC = "index.codec";

  @Override
  public String name() {
    return "codec";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(
        ApiSource.NODES,
        ApiSource.INDICES,
        ApiSource.INDEX_SETTINGS,
        ApiSource.ALIASES,
        ApiSource.DATA_STREAMS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    boolean hasPlugin = WeirPlugins.isOnAllNodes(snapshot);
    String codec = hasPlugin ? "weir_zstd" : "best_compression";
    return snapshot.openIndices().stream()
        .filter(IndexFacts::isNoLongerWritten)
        .filter(index -> index.size().bytes() >= MIN_BYTES)
        .filter(index -> index.setting(CODEC, "default").equals("default"))
        .map(index ->
            new Finding(
                name(),
                Severity.HINT,
                index.name(),
                DisplayFormat.formatBytes(index.size().bytes())
                    + " of primaries with the default codec (expected: "
                    + codec
                    + " from 1gb on)",
                "Stored fields are often half of an index. Zstd makes them about a third smaller"
                    + " than LZ4: less disk, more of the index in the page cache.",
                mend(index, codec)))
        .toList();
  }

  private static Mend mend(IndexFacts index, String codec) {
    String path = "/" + Mend.encode(index.name());
    Mend mend =
        Mend.of(
                "Searches of the index fail while it is closed. A shard with one segment is not"
                    + " merged again.")
            .call("POST", path + "/_close", "")
            .indexSettings(index.name(), "{\"index.codec\": \"" + codec + "\"}")
            .call("POST", path + "/_open", "")
            .call("POST", path + "/_forcemerge?max_num_segments=1", "");
    return ReadOnlyBlock.liftDuring(mend, index);
  }
}
