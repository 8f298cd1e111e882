package dev.weir.cluster.bounds;

import dev.weir.cluster.BlockingNodeCaller;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.cluster.node.tasks.list.ListTasksAction;
import org.opensearch.action.admin.cluster.node.tasks.list.ListTasksRequest;
import org.opensearch.action.admin.cluster.node.tasks.list.ListTasksResponse;
import org.opensearch.action.admin.indices.refresh.RefreshAction;
import org.opensearch.action.admin.indices.refresh.RefreshRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.support.broadcast.BroadcastResponse;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.metrics.Max;
import org.opensearch.search.aggregations.metrics.Min;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.tasks.TaskInfo;

/** Reads the time bounds of indices from nodes. Blocks; for a virtual thread. */
final class BoundsReader {
  /** The write tasks on nodes with a primary, including the replication to the other copies. */
  private static final String WRITES_ON_PRIMARIES = "indices:data/write/*[p]";

  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
  private static final int MAX_POLLS = 150;

  /** From here on a double cannot represent every whole number. */
  private static final double MAX_EXACT_LONG = 1L << 53;

  private final BlockingNodeCaller calls;

  BoundsReader(BlockingNodeCaller calls) {
    this.calls = calls;
  }

  /**
   * Waits for the writes that are in progress now on the primaries of these nodes.
   *
   * @return whether they have ended; false after a timeout, or if a node does not answer
   */
  boolean awaitWrites(NodeClient via, Set<String> nodeIds)
      throws NodeCallException, InterruptedException {
    Set<String> begun = listWrites(via, nodeIds);
    for (int look = 0; begun != null && !begun.isEmpty(); look++) {
      if (look == MAX_POLLS) {
        return false;
      }
      Thread.sleep(POLL_INTERVAL);
      Set<String> now = listWrites(via, nodeIds);
      if (now == null) {
        return false;
      }
      begun.retainAll(now);
    }
    return begun != null;
  }

  /** Returns the ids of the write tasks; null if a node did not answer. */
  private @Nullable Set<String> listWrites(NodeClient via, Set<String> nodeIds)
      throws NodeCallException, InterruptedException {
    ListTasksResponse tasks =
        calls.call(
            via,
            ListTasksAction.NAME,
            new ListTasksRequest()
                .setNodes(nodeIds.toArray(String[]::new))
                .setActions(WRITES_ON_PRIMARIES),
            ListTasksResponse::new,
            CALL_TIMEOUT);
    if (!tasks.getNodeFailures().isEmpty() || !tasks.getTaskFailures().isEmpty()) {
      return null;
    }
    Set<String> ids = new HashSet<>();
    for (TaskInfo task : tasks.getTasks()) {
      ids.add(task.getTaskId().toString());
    }
    return ids;
  }

  /**
   * The bounds of an index.
   *
   * @param bounds by field
   * @param obstacle why there are none; empty if there are
   */
  record ReadResult(Map<String, DateBounds> bounds, String obstacle) {
    private static ReadResult none(String why) {
      return new ReadResult(Map.of(), why);
    }
  }

  /**
   * Reads the bounds of those fields that are dates and have values.
   *
   * @param via the node that coordinates the search
   * @param whole whether the result must include the latest writes
   */
  ReadResult read(NodeClient via, IndexMetadata index, List<String> fields, boolean whole)
      throws NodeCallException, InterruptedException {
    Map<String, String> formats = new HashMap<>();
    for (String field : fields) {
      String format = DateFieldFinder.findFormat(index, field);
      if (format != null) {
        formats.put(field, format);
      }
    }
    String name = index.getIndex().getName();
    if (formats.isEmpty()) {
      return ReadResult.none("got no date field " + fields);
    }
    if (whole && !refresh(via, name)) {
      return ReadResult.none("not refreshed on all copies");
    }
    SearchResponse found = search(via, name, new ArrayList<>(formats.keySet()));
    if (found.isTimedOut()
        || Boolean.TRUE.equals(found.isTerminatedEarly())
        || found.getSuccessfulShards() != index.getNumberOfShards()
        || found.getTotalShards() != index.getNumberOfShards()) {
      return ReadResult.none(
          "got "
              + found.getSuccessfulShards()
              + " of "
              + found.getTotalShards()
              + " shards"
              + (found.isTimedOut() ? ", timed out" : "")
              + (Boolean.TRUE.equals(found.isTerminatedEarly()) ? ", ended early" : "")
              + " (expected: "
              + index.getNumberOfShards()
              + ")");
    }
    Map<String, DateBounds> bounds = new HashMap<>();
    formats.forEach((field, format) -> {
      Min min = found.getAggregations().get("min " + field);
      Max max = found.getAggregations().get("max " + field);
      if (isExact(min.getValue()) && isExact(max.getValue()) && min.getValue() <= max.getValue()) {
        bounds.put(field, new DateBounds((long) min.getValue(), (long) max.getValue(), format));
      }
    });
    return new ReadResult(bounds, bounds.isEmpty() ? "got no values" : "");
  }

  private boolean refresh(NodeClient via, String index)
      throws NodeCallException, InterruptedException {
    BroadcastResponse refreshed =
        calls.call(
            via,
            RefreshAction.NAME,
            new RefreshRequest(index),
            BroadcastResponse::new,
            DRAIN_TIMEOUT);
    return refreshed.getFailedShards() == 0 && refreshed.getSuccessfulShards() > 0;
  }

  private SearchResponse search(NodeClient via, String index, List<String> fields)
      throws NodeCallException, InterruptedException {
    // size 1, because a search with size 0 may stop counting early, and then its result is marked
    // as cut short
    SearchSourceBuilder source =
        new SearchSourceBuilder().size(1).fetchSource(false).trackTotalHits(true);
    for (String field : fields) {
      source.aggregation(AggregationBuilders.min("min " + field).field(field));
      source.aggregation(AggregationBuilders.max("max " + field).field(field));
    }
    SearchRequest request =
        new SearchRequest(index)
            .source(source)
            .preference("_primary")
            .requestCache(false)
            .allowPartialSearchResults(false);
    return calls.call(via, SearchAction.NAME, request, SearchResponse::new, DRAIN_TIMEOUT);
  }

  private static boolean isExact(double value) {
    return Math.abs(value) < MAX_EXACT_LONG && value == Math.rint(value);
  }
}
