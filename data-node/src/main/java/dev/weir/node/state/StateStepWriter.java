package dev.weir.node.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlock;
import org.opensearch.cluster.metadata.DiffableStringMap;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Writes the change from one cluster state to another: what changed, and the names of what is gone.
 * Compares maps entry by entry, by identity where nothing changed.
 *
 * <p>The layout, in OpenSearch's encoding ({@code StreamOutput}); a <i>list</i> is a vint and as
 * many elements:
 *
 * <pre>
 * int     the version in which OpenSearch's objects are written (Version.id)
 * string  uuid of the first state
 * string  uuid of the second state
 * vlong   version of the second state
 * byte    which sections follow, in this order: 1 metadata, 2 routing, 4 nodes, 8 blocks
 *
 * metadata  vlong version, string cluster uuid, boolean whether that is final, CoordinationMetadata
 *           boolean, and if true: transient Settings, persistent Settings, hashes of consistent
 *             settings (DiffableStringMap)
 *           list of strings: indices that are gone
 *           list of IndexMetadata: new indices
 *           list of string and Diff of IndexMetadata: changed indices
 *           list of strings: templates that are gone
 *           list of IndexTemplateMetadata: new and changed ones
 *           list of strings: customs that are gone
 *           list of customs, new and changed: string name, then as one byte array a boolean and,
 *             if true, a NamedDiff, otherwise the whole custom
 * routing   vlong version
 *           list of strings: indices that are gone
 *           list of IndexRoutingTable: new and changed ones
 * nodes     DiscoveryNodes
 * blocks    list of ClusterBlock: all global blocks
 *           list of strings: indices without blocks now
 *           list of string and list of ClusterBlock: all blocks of each index of which they changed
 * </pre>
 */
final class StateStepWriter {
  private static final int METADATA = 1;
  private static final int ROUTING = 2;
  private static final int NODES = 4;
  private static final int BLOCKS = 8;

  private StateStepWriter() {}

  @SuppressWarnings("ReferenceEquality") // what did not change is the same object
  private static boolean isSame(Object one, Object other) {
    return one == other;
  }

  /** Writes a step. */
  static BytesReference write(ClusterState from, ClusterState to) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(Version.CURRENT);
      out.writeInt(Version.CURRENT.id);
      out.writeString(from.stateUUID());
      out.writeString(to.stateUUID());
      out.writeVLong(to.version());
      boolean metadata = !isSame(from.metadata(), to.metadata());
      boolean routing = !isSame(from.routingTable(), to.routingTable());
      boolean nodes = !from.nodes().equals(to.nodes());
      boolean blocks = !isSame(from.blocks(), to.blocks());
      out.writeByte(
          (byte)
              ((metadata ? METADATA : 0)
                  | (routing ? ROUTING : 0)
                  | (nodes ? NODES : 0)
                  | (blocks ? BLOCKS : 0)));
      if (metadata) {
        writeMetadata(out, from.metadata(), to.metadata());
      }
      if (routing) {
        out.writeVLong(to.routingTable().version());
        writeMap(
            out,
            from.routingTable().indicesRouting(),
            to.routingTable().indicesRouting(),
            Object::equals);
      }
      if (nodes) {
        to.nodes().writeTo(out);
      }
      if (blocks) {
        writeBlocks(out, from, to);
      }
      return out.copyBytes();
    }
  }

  private static void writeMetadata(StreamOutput out, Metadata from, Metadata to)
      throws IOException {
    out.writeVLong(to.version());
    out.writeString(to.clusterUUID());
    out.writeBoolean(to.clusterUUIDCommitted());
    to.coordinationMetadata().writeTo(out);
    boolean settings =
        !from.transientSettings().equals(to.transientSettings())
            || !from.persistentSettings().equals(to.persistentSettings())
            || !from.hashesOfConsistentSettings().equals(to.hashesOfConsistentSettings());
    out.writeBoolean(settings);
    if (settings) {
      Settings.writeSettingsToStream(to.transientSettings(), out);
      Settings.writeSettingsToStream(to.persistentSettings(), out);
      new DiffableStringMap(to.hashesOfConsistentSettings()).writeTo(out);
    }
    writeIndices(out, from.indices(), to.indices());
    writeMap(out, from.templates(), to.templates(), Object::equals);
    writeCustoms(out, from.customs(), to.customs());
  }

  private static void writeIndices(
      StreamOutput out, Map<String, IndexMetadata> from, Map<String, IndexMetadata> to)
      throws IOException {
    List<IndexMetadata> created = new ArrayList<>();
    List<IndexMetadata> changed = new ArrayList<>();
    for (IndexMetadata index : to.values()) {
      IndexMetadata before = from.get(index.getIndex().getName());
      if (before == null || !before.getIndex().equals(index.getIndex())) {
        created.add(index);
      } else if (!isSame(before, index)
          && (before.getVersion() != index.getVersion() || !before.equals(index))) {
        changed.add(index);
      }
    }
    out.writeStringCollection(findRemoved(from, to));
    out.writeCollection(created);
    out.writeVInt(changed.size());
    for (IndexMetadata index : changed) {
      String name = index.getIndex().getName();
      out.writeString(name);
      index.diff(Objects.requireNonNull(from.get(name))).writeTo(out);
    }
  }

  /** Writes those customs that are part of a state that a node answers with (context API). */
  private static void writeCustoms(
      StreamOutput out, Map<String, Metadata.Custom> from, Map<String, Metadata.Custom> to)
      throws IOException {
    List<String> removed = new ArrayList<>();
    for (String name : from.keySet()) {
      if (isPublic(from.get(name)) && !isPublic(to.get(name))) {
        removed.add(name);
      }
    }
    List<String> changed = new ArrayList<>();
    for (String name : to.keySet()) {
      if (isPublic(to.get(name)) && !Objects.equals(from.get(name), to.get(name))) {
        changed.add(name);
      }
    }
    out.writeStringCollection(removed);
    out.writeVInt(changed.size());
    for (String name : changed) {
      out.writeString(name);
      out.writeBytesReference(
          writeCustom(from.get(name), Objects.requireNonNull(to.get(name)), out.getVersion()));
    }
  }

  private static BytesReference writeCustom(
      Metadata.@Nullable Custom from, Metadata.Custom to, Version version) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      boolean isDiff = from != null && isPublic(from);
      out.writeBoolean(isDiff);
      if (isDiff) {
        to.diff(from).writeTo(out);
      } else {
        to.writeTo(out);
      }
      return out.copyBytes();
    }
  }

  private static boolean isPublic(Metadata.@Nullable Custom custom) {
    return custom != null && custom.context().contains(Metadata.XContentContext.API);
  }

  private static void writeBlocks(StreamOutput out, ClusterState from, ClusterState to)
      throws IOException {
    out.writeCollection(to.blocks().global());
    Map<String, Set<ClusterBlock>> before = from.blocks().indices();
    Map<String, Set<ClusterBlock>> now = to.blocks().indices();
    out.writeStringCollection(findRemoved(before, now));
    List<String> changed = findChanged(before, now, Object::equals);
    out.writeVInt(changed.size());
    for (String index : changed) {
      out.writeString(index);
      out.writeCollection(Objects.requireNonNull(now.get(index)));
    }
  }

  private static <V extends Writeable> void writeMap(
      StreamOutput out, Map<String, V> from, Map<String, V> to, BiPredicate<V, V> areEqual)
      throws IOException {
    out.writeStringCollection(findRemoved(from, to));
    List<String> changed = findChanged(from, to, areEqual);
    out.writeVInt(changed.size());
    for (String name : changed) {
      Objects.requireNonNull(to.get(name)).writeTo(out);
    }
  }

  private static <V> Collection<String> findRemoved(Map<String, V> from, Map<String, V> to) {
    return from.keySet().stream().filter(name -> !to.containsKey(name)).toList();
  }

  private static <V> List<String> findChanged(
      Map<String, V> from, Map<String, V> to, BiPredicate<V, V> areEqual) {
    List<String> changed = new ArrayList<>();
    to.forEach((name, value) -> {
      V before = from.get(name);
      if (before == null || (!isSame(before, value) && !areEqual.test(before, value))) {
        changed.add(name);
      }
    });
    return changed;
  }
}
