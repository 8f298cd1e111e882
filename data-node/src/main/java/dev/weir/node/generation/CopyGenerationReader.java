package dev.weir.node.generation;

import dev.weir.node.generation.CopyGeneration.DateRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.PointValues;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.service.ClusterService;
import org.opensearch.common.lucene.index.OpenSearchDirectoryReader;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexService;
import org.opensearch.index.engine.Engine;
import org.opensearch.index.mapper.DateFieldMapper;
import org.opensearch.index.mapper.DateFieldMapper.DateFieldType;
import org.opensearch.index.mapper.MapperService;
import org.opensearch.index.shard.IndexShard;
import org.opensearch.indices.IndicesService;

/**
 * Reads the generation of one copy. Safe on any thread; reads no file and waits for nothing.
 *
 * <p><b>Why equal generations mean equal answers.</b> What a search finds on a copy depends on
 *
 * <ul>
 *   <li><i>the reader</i> that a search acquires ({@link ReaderNumbers}), on replicas by documents
 *       and by segments and on read-only engines alike;
 *   <li><i>a refresh that is still to come.</i> A copy that nobody has searched for a while
 *       postpones its refreshes, and the next search waits for one. Such a copy has no generation.
 *       As a search does, the question has it refresh. The postponed refresh is looked for before
 *       the reader is acquired: if none was postponed then, a search at that moment used this
 *       reader or a later one;
 *   <li><i>the index's mapping and settings.</i> A node applies a state in this order: the index's
 *       metadata, its settings, its mapping; then the node names the state as applied. So while the
 *       index's metadata and the applied state have the same versions, before and after the reader
 *       was acquired, exactly these are in use. During a change there is no generation.
 * </ul>
 *
 * <p>The index's settings count as a whole, because nobody knows which of them plugins use in
 * searches. Aliases do not count: their filters come with each search. Neither does what a search
 * depends on besides the copy: its time, stored scripts, settings of the cluster, documents of
 * other indices, files of analyzers that are read again without a change of the mapping.
 *
 * <p>Closed indices, and copies that are not open for reading, have no generation.
 */
final class CopyGenerationReader {
  private static final Logger LOG = LogManager.getLogger(CopyGenerationReader.class);

  private final IndicesService indices;
  private final ClusterService clusterService;
  private final ReaderNumbers numbers;

  CopyGenerationReader(
      IndicesService indices, ClusterService clusterService, ReaderNumbers numbers) {
    this.indices = indices;
    this.clusterService = clusterService;
    this.numbers = numbers;
  }

  /**
   * Returns the generation of the copy of a shard on this node; null if it has none now.
   *
   * @param fields the date fields whose ranges are wanted
   */
  @Nullable CopyGeneration read(ShardId id, List<String> fields) {
    IndexService index = indices.indexService(id.getIndex());
    IndexShard copy = index == null ? null : index.getShardOrNull(id.id());
    IndexMetadata applied = clusterService.state().metadata().index(id.getIndex());
    if (index == null
        || copy == null
        || applied == null
        || applied.getState() != IndexMetadata.State.OPEN) {
      return null;
    }
    try {
      if (isRefreshPending(copy)) {
        return null;
      }
      try (Engine.Searcher searcher = copy.acquireSearcher("weir_reader_generation")) {
        OpenSearchDirectoryReader reader =
            OpenSearchDirectoryReader.getOpenSearchDirectoryReader(searcher.getDirectoryReader());
        IndexReader.CacheHelper cache = reader == null ? null : reader.getReaderCacheHelper();
        if (cache == null) {
          return null;
        }
        List<@Nullable DateRange> ranges = new ArrayList<>(fields.size());
        for (String field : fields) {
          ranges.add(range(reader, index.mapperService(), field));
        }
        IndexMetadata used = index.getMetadata();
        return used.getMappingVersion() == applied.getMappingVersion()
                && used.getSettingsVersion() == applied.getSettingsVersion()
            ? new CopyGeneration(
                numbers.of(cache), used.getMappingVersion(), used.getSettingsVersion(), ranges)
            : null;
      }
    } catch (IOException | RuntimeException unreadable) {
      // Not open for reading yet or no longer, or failed: a search would meet the same.
      LOG.debug("no generation of {}", id, unreadable);
      return null;
    }
  }

  /** Returns whether the next search waits for a refresh; if so, has the copy refresh soon. */
  private static boolean isRefreshPending(IndexShard copy) {
    if (copy.hasRefreshPending()) {
      copy.awaitShardSearchActive(isRefreshed -> {}); // may find that it has refreshed meanwhile
    }
    return copy.hasRefreshPending();
  }

  /**
   * Returns the range of a field's points, those of deleted documents included; null if the field
   * is no date in milliseconds with points, or has no values.
   */
  private static @Nullable DateRange range(IndexReader reader, MapperService mapping, String field)
      throws IOException {
    if (!(mapping.fieldType(field) instanceof DateFieldType date)
        || !date.name().equals(field)
        || !date.isSearchable()
        || date.resolution() != DateFieldMapper.Resolution.MILLISECONDS) {
      return null;
    }
    byte[] min = PointValues.getMinPackedValue(reader, field);
    byte[] max = PointValues.getMaxPackedValue(reader, field);
    return min == null || max == null
        ? null
        : new DateRange(LongPoint.decodeDimension(min, 0), LongPoint.decodeDimension(max, 0));
  }
}
