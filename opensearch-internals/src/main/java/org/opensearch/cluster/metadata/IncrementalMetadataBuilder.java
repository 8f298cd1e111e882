package org.opensearch.cluster.metadata;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.opensearch.core.index.Index;

/**
 * Builds metadata from that before it. If all names mean the same indices as before, for example
 * after a shard has started or a mapping has changed, it takes over OpenSearch's lookup tables of
 * names and replaces the entries of the changed indices. OpenSearch's own builder computes all
 * tables again, which takes some microseconds for each index of the cluster. Not thread-safe.
 */
public final class IncrementalMetadataBuilder extends Metadata.Builder {
  private final Metadata before;
  private final Map<String, IndexMetadata> changed = new HashMap<>();
  private boolean hasOtherNames;

  /** Begins with the metadata before the change. */
  public IncrementalMetadataBuilder(Metadata before) {
    super(before);
    this.before = before;
  }

  @Override
  public Metadata.Builder put(IndexMetadata index, boolean incrementVersion) {
    String name = index.getIndex().getName();
    IndexMetadata known = before.index(name);
    hasOtherNames |= incrementVersion || known == null || !hasSameNames(known, index);
    changed.put(name, index);
    return super.put(index, incrementVersion);
  }

  @Override
  public Metadata.Builder put(IndexMetadata.Builder index) {
    hasOtherNames = true;
    return super.put(index);
  }

  @Override
  public Metadata.Builder remove(String index) {
    hasOtherNames = true;
    return super.remove(index);
  }

  @Override
  public Metadata.Builder removeAllIndices() {
    hasOtherNames = true;
    return super.removeAllIndices();
  }

  @Override
  public Metadata.Builder indices(Map<String, IndexMetadata> all) {
    hasOtherNames = true;
    return super.indices(all);
  }

  private static boolean hasSameNames(IndexMetadata before, IndexMetadata now) {
    return before.getIndex().equals(now.getIndex())
        && before.getState() == now.getState()
        && before.isSystem() == now.isSystem()
        && before.getAliases().equals(now.getAliases())
        && isHidden(before) == isHidden(now);
  }

  private static boolean isHidden(IndexMetadata index) {
    return IndexMetadata.INDEX_HIDDEN_SETTING.get(index.getSettings());
  }

  private boolean hasSameCustom(String type) {
    return Objects.equals(getCustom(type), before.customs().get(type));
  }

  @Override
  public Metadata build() {
    if (hasOtherNames
        || !hasSameCustom(DataStreamMetadata.TYPE)
        || !hasSameCustom(ComponentTemplateMetadata.TYPE)) {
      return super.build();
    }
    Metadata built = buildMetadataWithPreviousIndicesLookups();
    return new Metadata(
        built.clusterUUID(),
        built.clusterUUIDCommitted(),
        built.version(),
        built.coordinationMetadata(),
        built.transientSettings(),
        built.persistentSettings(),
        new DiffableStringMap(built.hashesOfConsistentSettings()),
        built.indices(),
        built.templates(),
        built.customs(),
        built.getConcreteAllIndices(),
        built.getConcreteVisibleIndices(),
        built.getConcreteAllOpenIndices(),
        built.getConcreteVisibleOpenIndices(),
        built.getConcreteAllClosedIndices(),
        built.getConcreteVisibleClosedIndices(),
        changed.isEmpty() ? before.getIndicesLookup() : replaceIn(before.getIndicesLookup(), built),
        before.systemTemplatesLookup());
  }

  /** Returns the lookup table with the changed indices, their aliases and their data streams. */
  private SortedMap<String, IndexAbstraction> replaceIn(
      SortedMap<String, IndexAbstraction> names, Metadata built) {
    SortedMap<String, IndexAbstraction> replaced = new TreeMap<>(names);
    Set<String> aliases = new HashSet<>();
    Map<String, IndexAbstraction.DataStream> streams = new HashMap<>();
    changed.forEach((name, index) -> {
      IndexAbstraction.DataStream stream =
          Objects.requireNonNull(names.get(name)).getParentDataStream();
      if (stream == null) {
        replaced.put(name, new IndexAbstraction.Index(index));
      } else {
        streams.put(stream.getName(), stream);
      }
      aliases.addAll(index.getAliases().keySet());
    });
    streams.values().forEach(stream -> putStream(replaced, stream.getDataStream(), built));
    for (String alias : aliases) {
      List<IndexMetadata> known = Objects.requireNonNull(names.get(alias)).getIndices();
      replaced.put(alias, alias(alias, known, built));
    }
    return replaced;
  }

  private static void putStream(
      SortedMap<String, IndexAbstraction> names, DataStream stream, Metadata built) {
    List<IndexMetadata> backing = new ArrayList<>();
    for (Index index : stream.getIndices()) {
      backing.add(built.index(index.getName()));
    }
    IndexAbstraction.DataStream current = new IndexAbstraction.DataStream(stream, backing);
    names.put(stream.getName(), current);
    for (IndexMetadata index : backing) {
      names.put(index.getIndex().getName(), new IndexAbstraction.Index(index, current));
    }
  }

  private static IndexAbstraction.Alias alias(
      String name, List<IndexMetadata> known, Metadata built) {
    IndexAbstraction.Alias alias = null;
    for (IndexMetadata old : known) {
      IndexMetadata index = built.index(old.getIndex().getName());
      if (alias == null) {
        AliasMetadata first = Objects.requireNonNull(index.getAliases().get(name));
        alias = new IndexAbstraction.Alias(first, index);
      } else {
        alias.addIndex(index);
      }
    }
    IndexAbstraction.Alias complete = Objects.requireNonNull(alias);
    complete.computeAndValidateAliasProperties();
    return complete;
  }
}
