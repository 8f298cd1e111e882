package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.it.TestBed;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.SeedClient;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportMemory;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.action.ParentTask;
import dev.weir.protocol.action.TaskBanCalls;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.TestSeed;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;

/**
 * How a node handles a shard request that arrives after its search was cancelled. The gateway
 * relies on this when it bans a search's tasks; this test sends the requests itself.
 */
class LateShardRequestIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String INDEX = "late-shard-request";
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String[] NO_ROUTING = {};

  private static final DataNode NODE = NODES.node(0);
  private static EventLoops loops;
  private static TransportClients clients;
  private static SeedClient node;
  private static ShardId shard;

  @BeforeAll
  static void start() {
    NODES
        .rest()
        .send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 1, "number_of_replicas": 0,
              "index.routing.allocation.require._name": "%s"}}
            """
                .formatted(NODE.name()))
        .orThrow();
    NODES.rest().send("PUT", "/" + INDEX + "/_doc/1?refresh=true", "{\"n\": 1}").orThrow();
    JsonResponse settings =
        JsonResponse.of(NODES.rest().send("GET", "/" + INDEX + "/_settings").orThrow());
    shard = new ShardId(INDEX, settings.text(INDEX + ".settings.index.uuid"), 0);
    loops = EventLoops.start(1);
    clients =
        new TransportClients(
            loops,
            TestBed.registries().writeables(),
            TransportOptions.defaults(),
            TransportMemory.forThisJvm(1),
            new SplittableRandom(TestSeed.random(LateShardRequestIT.class).nextLong()));
    node =
        clients
            .connectSeed(new InetSocketAddress("127.0.0.1", NODE.transportPort()))
            .toCompletableFuture()
            .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .join();
  }

  @AfterAll
  static void end() {
    node.close();
    clients.close();
    loops.close();
    NODES.rest().send("DELETE", "/" + INDEX).orThrow();
  }

  /** Bans as after a cancelled search: its tasks are children of a task with the node's name. */
  @Test
  void rejectLateShardRequestsUntilTheBanIsLifted() {
    SearchCaller caller = new SearchCaller(new TaskId("weir-late", 7), Map.of()).forNode(NODE.id());
    ParentTask parent =
        new ParentTask(caller.parentTask().getNodeId(), caller.parentTask().getId());
    assertThat(hitsFor(caller)).as("before the ban").isOne();

    send(TaskBanCalls.ban(parent, "its client left", TIMEOUT));
    NodeCallException refused = refusalOf(caller);
    assertThat(refused.kind()).isEqualTo(NodeCallException.Kind.REMOTE);
    assertThat(refused.isCancelled()).isTrue();
    assertThat(refused.exception())
        .rootCause()
        .isInstanceOf(TaskCancelledException.class)
        .hasMessageContaining("before it started")
        .hasMessageContaining("its client left");
    SearchCaller another =
        new SearchCaller(new TaskId("weir-late", 8), Map.of()).forNode(NODE.id());
    assertThat(hitsFor(another)).as("another request's").isOne();

    send(TaskBanCalls.unban(parent, TIMEOUT));
    assertThat(hitsFor(caller)).as("after the ban was lifted").isOne();
  }

  /** Shows why the parent task has the node's name. */
  @Test
  void wouldNotBeRefusedIfItsParentWereNoMembersTask() {
    SearchCaller caller = new SearchCaller(new TaskId("weir-late", 9), Map.of());
    ParentTask parent =
        new ParentTask(caller.parentTask().getNodeId(), caller.parentTask().getId());
    send(TaskBanCalls.ban(parent, "its client left", TIMEOUT));
    assertThat(hitsFor(caller)).isOne();
    send(TaskBanCalls.unban(parent, TIMEOUT));
  }

  private static NodeCallException refusalOf(SearchCaller caller) {
    try {
      throw new AssertionError("got " + hitsFor(caller) + " hits (expected: a refusal)");
    } catch (CompletionException e) {
      return (NodeCallException) Objects.requireNonNull(e.getCause());
    }
  }

  /** Sends the shard request of a match-all search; returns the number of hits. */
  private static long hitsFor(SearchCaller caller) {
    SearchRequest search =
        new SearchRequest(INDEX)
            .source(new SearchSourceBuilder().size(1))
            .allowPartialSearchResults(true);
    ShardSearchRequest request =
        new ShardSearchRequest(
            new OriginalIndices(search),
            search,
            shard,
            1,
            AliasFilter.EMPTY,
            1.0f,
            System.currentTimeMillis(),
            null,
            NO_ROUTING);
    return send(
        caller.createChildCall(
            "indices:data/read/search[phase/query]", request, QueryFetchSearchResult::new),
        answer -> answer.queryResult().topDocs().topDocs.totalHits.value());
  }

  private static void send(NodeCall<?> call) {
    send(call, answer -> 0);
  }

  /** Waits for the response, and reads what is needed before its frame is released. */
  private static <R> long send(NodeCall<R> call, ToLongFunction<R> read) {
    CompletableFuture<Long> answer = new CompletableFuture<>();
    node.send(
        call,
        Runnable::run,
        new ReplyHandler<>() {
          @Override
          public void onReply(R reply, ReplyFrame frame) {
            answer.complete(read.applyAsLong(reply));
          }

          @Override
          public void onFailure(NodeCallException failure) {
            answer.completeExceptionally(failure);
          }
        });
    return answer.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
  }
}
