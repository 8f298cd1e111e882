package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import java.util.List;
import java.util.Set;

/** Indices with many documents that are deleted and still in their segments. */
public final class DeletedDocumentsCheck implements Check {
  /** OpenSearch lets a fifth be deleted documents before it merges; a third means it can't. */
  static final double MAX_SHARE = 1.0 / 3;

  /** Fewer are no work for a search. */
  static final long MIN_DELETED = 10_000;

  @Override
  public String name() {
    return "deleted-documents";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(index -> index.size().deleted() >= MIN_DELETED && share(index) > MAX_SHARE)
        .map(index ->
            new Finding(
                name(),
                Severity.ADVICE,
                index.name(),
                index.size().deleted()
                    + " deleted documents beside "
                    + index.size().documents()
                    + " others, "
                    + Math.round(100 * share(index))
                    + " % (expected: 33 % at most)",
                "Every search reads their terms and skips them, and they take disk. Segments of"
                    + " 5 GB are merged only when half of them is deleted.",
                Mend.of("It writes the affected segments again: run it when the nodes are idle.")
                    .call(
                        "POST",
                        "/" + Mend.encode(index.name()) + "/_forcemerge?only_expunge_deletes=true",
                        "")))
        .toList();
  }

  private static double share(IndexFacts index) {
    double all = (double) index.size().deleted() + index.size().documents();
    return all == 0 ? 0 : index.size().deleted() / all;
  }
}
