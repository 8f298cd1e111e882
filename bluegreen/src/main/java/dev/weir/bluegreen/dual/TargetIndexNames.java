package dev.weir.bluegreen.dual;

import dev.weir.cluster.ClusterViewSource;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;

/**
 * Maps the location of a document in the first cluster to a name in the other one. Safe on any
 * thread.
 *
 * @param renameIndex maps indices, aliases and data streams of the first cluster to the other's
 *     names
 * @param metadata the current metadata of the first cluster
 */
public record TargetIndexNames(UnaryOperator<String> renameIndex, Supplier<Metadata> metadata) {
  /** The prefix of date math names. */
  private static final String DATE_MATH = "<";

  private static final Pattern BACKING_INDEX = Pattern.compile("\\.ds-(.+)-\\d{6,}");

  /** Uses the newest view of the first cluster. */
  public static TargetIndexNames of(UnaryOperator<String> renamed, ClusterViewSource views) {
    return new TargetIndexNames(renamed, () -> views.current().state().metadata());
  }

  /**
   * The location in the other cluster.
   *
   * @param certain whether the document is known to belong there
   */
  record TargetIndex(String name, boolean certain) {}

  /**
   * Returns the index of the first cluster that a write goes to now; the name itself if it is not
   * known.
   *
   * @param requested an index, an alias or a data stream
   */
  String resolveWriteIndex(String requested) {
    IndexAbstraction meant = metadata.get().getIndicesLookup().get(requested);
    IndexMetadata index = meant == null ? null : meant.getWriteIndex();
    return index == null ? requested : index.getIndex().getName();
  }

  /**
   * Returns the location of a write whose index the gateway resolved.
   *
   * @param requested the name in the request
   * @param concrete the resolved index
   */
  TargetIndex resolveGatewayRouted(String requested, String concrete) {
    // A date math name resolves to another index tomorrow.
    return new TargetIndex(
        renameIndex.apply(requested.startsWith(DATE_MATH) ? concrete : requested), true);
  }

  /**
   * Returns the location of a write whose index a node resolved: a pipeline may have selected
   * another index.
   *
   * @param requested the name in the request
   * @param concrete the index in the response
   */
  TargetIndex resolveNodeRouted(String requested, String concrete) {
    if (requested.startsWith(DATE_MATH) || requested.equals(concrete)) {
      return resolveGatewayRouted(requested, concrete);
    }
    var lookup = metadata.get().getIndicesLookup();
    IndexAbstraction meant = lookup.get(requested);
    IndexAbstraction index = lookup.get(concrete);
    boolean means =
        meant != null
            && meant.getIndices().stream()
                .anyMatch(one -> one.getIndex().getName().equals(concrete));
    if (means) {
      return new TargetIndex(renameIndex.apply(requested), true);
    }
    if (index != null) {
      IndexAbstraction.DataStream stream = index.getParentDataStream();
      return new TargetIndex(renameIndex.apply(stream == null ? concrete : stream.getName()), true);
    }
    Matcher backing = BACKING_INDEX.matcher(concrete);
    if (backing.matches()) {
      return new TargetIndex(renameIndex.apply(backing.group(1)), true); // newer than the metadata
    }
    boolean mayBeNew = meant != null && meant.getType() == IndexAbstraction.Type.ALIAS;
    return new TargetIndex(renameIndex.apply(mayBeNew ? requested : concrete), false);
  }
}
