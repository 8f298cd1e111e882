package dev.weir.cluster;

import dev.weir.cluster.read.Identity;
import java.util.Objects;
import org.opensearch.cluster.metadata.DataStreamMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;

/**
 * Whether names mean the same in two metadata, so that what was resolved once stays valid. A new
 * mapping, or a shard copy that started, is such a change: it alters the metadata of its index.
 */
final class NameLookups {
  private NameLookups() {}

  /** Returns whether all names resolve to the same indices, aliases and settings. */
  static boolean areSame(Metadata before, Metadata now) {
    if (Identity.isSame(before, now)) {
      return true;
    }
    if (before.indices().size() != now.indices().size()
        || !hasSameCustom(before, now, DataStreamMetadata.TYPE)
        || !hasSameCustom(before, now, WeightedRoutingMetadata.TYPE)) {
      return false;
    }
    for (IndexMetadata index : now.indices().values()) {
      IndexMetadata known = before.index(index.getIndex().getName());
      if (!Identity.isSame(known, index) && (known == null || !areSame(known, index))) {
        return false;
      }
    }
    return true;
  }

  private static boolean areSame(IndexMetadata before, IndexMetadata now) {
    return before.getIndex().equals(now.getIndex())
        && before.getState() == now.getState()
        && before.isSystem() == now.isSystem()
        && before.getAliases().equals(now.getAliases())
        && before.getSettings().equals(now.getSettings());
  }

  private static boolean hasSameCustom(Metadata before, Metadata now, String type) {
    return Objects.equals(before.customs().get(type), now.customs().get(type));
  }
}
