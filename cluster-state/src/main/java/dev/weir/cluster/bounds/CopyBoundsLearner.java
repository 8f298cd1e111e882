package dev.weir.cluster.bounds;

import dev.weir.cluster.BlockingNodeCaller;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.cluster.generation.CopyReader;
import dev.weir.cluster.generation.ReaderGenerationsQuestion;
import dev.weir.protocol.Backoff;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the bounds of copies of indices that take writes, on nodes with Weir's plugin: each copy
 * once, then again when a search had to drop what was known. Confined to the learning thread; may
 * block.
 */
final class CopyBoundsLearner {
  private static final Logger LOG = LoggerFactory.getLogger(CopyBoundsLearner.class);

  /** The number of copies in one message. */
  private static final int BATCH = 500;

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5));
  private static final int MAX_RETRIES = 100_000;

  private final CopyBoundsRegistry registry;
  private final NodeCapabilities capabilities;
  private final NodeClients clients;
  private final InstantSource clock;
  private final BlockingNodeCaller calls = new BlockingNodeCaller(Map.of());
  private final Map<Copy, RetryState> retries = new HashMap<>();

  private record Copy(ShardId shard, String nodeId) {}

  /** When to ask for a copy again, and after how many answers without bounds. */
  private record RetryState(long atMillis, int failures) {}

  CopyBoundsLearner(
      CopyBoundsRegistry registry,
      NodeCapabilities capabilities,
      NodeClients clients,
      InstantSource clock) {
    this.registry = registry;
    this.capabilities = capabilities;
    this.clients = clients;
    this.clock = clock;
  }

  /**
   * Learns the copies of some indices, with at most one message to each node.
   *
   * @param indices open indices without a write block
   * @param fields the date fields to learn
   * @param maxIndices the number of indices to keep
   */
  void learn(ClusterView view, List<IndexMetadata> indices, List<String> fields, int maxIndices)
      throws InterruptedException {
    Map<String, Map<ShardId, IndexMetadata>> dueByNode = new LinkedHashMap<>();
    int room = maxIndices - registry.indexCount();
    for (IndexMetadata index : indices) {
      boolean isNew = !registry.knows(index.getIndex());
      if (isNew && room <= 0) {
        continue;
      }
      if (addDueCopies(view, index.getIndex(), index, dueByNode) && isNew) {
        room--;
      }
    }
    for (Map.Entry<String, Map<ShardId, IndexMetadata>> node : dueByNode.entrySet()) {
      learn(node.getKey(), node.getValue(), fields);
    }
  }

  private boolean addDueCopies(
      ClusterView view,
      Index name,
      IndexMetadata index,
      Map<String, Map<ShardId, IndexMetadata>> dueByNode) {
    IndexRoutingTable table = view.state().routingTable().index(name);
    if (table == null) {
      return false;
    }
    boolean any = false;
    for (IndexShardRoutingTable shard : table) {
      for (ShardRouting copy : shard.activeShards()) {
        String nodeId = copy.currentNodeId();
        if (capabilities.has(nodeId, Capability.READER_GENERATIONS)
            && registry.find(shard.shardId(), nodeId) == null
            && !isBackingOff(new Copy(shard.shardId(), nodeId))) {
          Map<ShardId, IndexMetadata> due =
              dueByNode.computeIfAbsent(nodeId, id -> new LinkedHashMap<>());
          if (due.size() < BATCH) {
            due.put(shard.shardId(), index);
            any = true;
          }
        }
      }
    }
    return any;
  }

  private void learn(String nodeId, Map<ShardId, IndexMetadata> due, List<String> fields)
      throws InterruptedException {
    Map<ShardId, CopyReader> answers = ask(nodeId, due, fields);
    Map<Index, Map<String, String>> formatsByIndex = new HashMap<>();
    due.forEach((shard, index) -> {
      CopyReader answer = answers.get(shard);
      CopyBounds learned =
          answer == null || answer.generation().mappingVersion() != index.getMappingVersion()
              ? null
              : CopyBounds.of(
                  shard,
                  nodeId,
                  answer,
                  fields,
                  formatsByIndex.computeIfAbsent(index.getIndex(), one -> formats(index, fields)));
      if (learned == null || learned.fields().isEmpty()) {
        recordFailure(new Copy(shard, nodeId));
      } else {
        retries.remove(new Copy(shard, nodeId));
        registry.store(learned);
      }
    });
  }

  private Map<ShardId, CopyReader> ask(
      String nodeId, Map<ShardId, IndexMetadata> due, List<String> fields)
      throws InterruptedException {
    NodeClient client = clients.byId(nodeId);
    if (client == null || !client.isConnected()) {
      return Map.of();
    }
    try {
      ReaderGenerationsQuestion question = new ReaderGenerationsQuestion(due.keySet(), fields);
      return calls.call(
          client, ReaderGenerationsQuestion.ACTION, question, question::readAnswer, TIMEOUT);
    } catch (NodeCallException failure) {
      LOG.debug("no bounds of copies from node {}", nodeId, failure);
      return Map.of();
    }
  }

  private static Map<String, String> formats(IndexMetadata index, List<String> fields) {
    Map<String, String> formats = new HashMap<>();
    for (String field : fields) {
      String format = DateFieldFinder.findFormat(index, field);
      if (format != null) {
        formats.put(field, format);
      }
    }
    return formats;
  }

  private void recordFailure(Copy copy) {
    if (retries.size() > MAX_RETRIES) {
      retries.clear(); // most belong to deleted indices
    }
    retries.compute(
        copy,
        (same, before) -> {
          int inARow = before == null ? 1 : before.failures() + 1;
          long pauseMillis = TimeUnit.NANOSECONDS.toMillis(BACKOFF.delayNanos(inARow));
          return new RetryState(clock.millis() + pauseMillis, inARow);
        });
  }

  private boolean isBackingOff(Copy copy) {
    RetryState retry = retries.get(copy);
    return retry != null && clock.millis() < retry.atMillis();
  }
}
