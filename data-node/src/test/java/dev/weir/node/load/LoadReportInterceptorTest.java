package dev.weir.node.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.get.GetRequest;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/** What the interceptor does between a node's channel and its handlers. */
final class LoadReportInterceptorTest implements TransportChannel {
  private static final String PRIMARY = "indices:data/write/bulk[s][p]";
  private static final String GET = "indices:data/read/get[s]";
  private static final String JOINT = "indices:data/read/several[s]";
  private static final String NODE = "node-1";
  private static final Task TASK =
      new Task(1, "transport", GET, "", TaskId.EMPTY_TASK_ID, Map.of());

  private final ThreadPool pools =
      new ThreadPool(Settings.builder().put("node.name", NODE).build());
  private final ThreadContext context = pools.getThreadContext();
  private final ServiceTimes times = new ServiceTimes();
  private long now;
  private final WorkTimer timer = new WorkTimer(() -> now, times);
  private @Nullable LoadReporter reporter =
      new LoadReporter(
          () -> NODE, pools, times, new ProcessSampler(() -> now, task -> {}, () -> 0));
  private final LoadReportInterceptor interceptor =
      new LoadReportInterceptor(context, timer, () -> reporter, Set.of(JOINT));
  private String channelType = "transport";

  /** What the channel sent, with the load in its headers. */
  private final List<String> sent = new ArrayList<>();

  @AfterEach
  void stop() {
    ThreadPool.terminate(pools, 10, TimeUnit.SECONDS);
  }

  private void handle(
      String action, TransportRequest request, TransportRequestHandler<TransportRequest> handler)
      throws Exception {
    interceptor
        .interceptHandler(action, ThreadPool.Names.SAME, false, handler)
        .messageReceived(request, this, TASK);
  }

  private void ask(String nodeId) {
    context.putHeader("weir-load", nodeId);
  }

  private static TransportRequest get() {
    return new GetRequest("index", "1");
  }

  private void respondAfter(long nanos, TransportChannel channel) throws IOException {
    now += nanos;
    channel.sendResponse(TransportResponse.Empty.INSTANCE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "indices:data/read/search[phase/query]",
        "indices:data/read/search[phase/query/id]",
        "indices:data/read/search[phase/query/scroll]",
        "indices:data/read/search[phase/query+fetch/scroll]",
        "indices:data/read/search[phase/fetch/id]",
        "indices:data/read/search[phase/fetch/id/scroll]",
        GET,
        "indices:data/read/mget[shard][s]",
        "indices:data/write/bulk[s]",
        "indices:data/write/update[s]"
      })
  void reportToThoseThatAsk(String action) throws Exception {
    ask(NODE);
    handle(action, get(), (request, channel, task) -> respondAfter(10, channel));
    assertThat(sent).hasSize(1);
    assertThat(sent.getFirst()).matches("response \\[0,0,(-|10),-,-,-,-]");
  }

  @ParameterizedTest
  @CsvSource({
    "indices:data/write/bulk[s][p]",
    "indices:data/write/bulk[s][r]",
    "indices:data/write/bulk",
    "indices:data/read/search",
    "indices:data/read/search[can_match]",
    "internal:coordination/fault_detection/leader_check"
  })
  void reportNothingForOtherActions(String action) throws Exception {
    ask(NODE);
    handle(
        action,
        get(),
        (request, channel, task) -> {
          assertThat(channel == this).isEqualTo(!action.equals(PRIMARY));
          respondAfter(10, channel);
        });
    assertThat(sent).containsExactly("response []");
  }

  private static final class SeveralResults extends TransportResponse implements JointResponse {
    private final String workAction;

    SeveralResults(String workAction) {
      this.workAction = workAction;
    }

    @Override
    public String workAction() {
      return workAction;
    }

    @Override
    public void writeTo(StreamOutput out) {}
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "node-1 | indices:data/read/get[s]               | response [0,0,7,-,-,-,-]",
        "node-1 | indices:data/read/search[free_context] | response []",
        "node-2 | indices:data/read/get[s]               | response []"
      })
  void reportOnceWithSeveralResults(String asked, String action, String expected) throws Exception {
    times.add(WorkKind.GET, 7);
    ask(asked);
    handle(
        JOINT, get(), (request, channel, task) -> channel.sendResponse(new SeveralResults(action)));
    assertThat(sent).containsExactly(expected);
  }

  @Test
  void reportNothingUnasked() throws Exception {
    handle(GET, get(), (request, channel, task) -> respondAfter(10, channel));
    assertThat(sent).containsExactly("response []");
    assertThat(times.nanos(WorkKind.GET)).as("measured nevertheless").isEqualTo(10);
  }

  /** The header goes with the requests that a node sends on. */
  @Test
  void reportNothingWhenAnotherNodeIsAsked() throws Exception {
    ask("node-2");
    handle(GET, get(), (request, channel, task) -> respondAfter(10, channel));
    assertThat(sent).containsExactly("response []");
  }

  @Test
  void reportNothingToTheNodeItself() throws Exception {
    ask(NODE);
    channelType = "direct";
    handle(GET, get(), (request, channel, task) -> respondAfter(10, channel));
    assertThat(sent).containsExactly("response []");
  }

  @Test
  void reportNothingBeforeTheNodeHasStarted() throws Exception {
    ask(NODE);
    reporter = null;
    handle(GET, get(), (request, channel, task) -> respondAfter(10, channel));
    assertThat(sent).containsExactly("response []");
  }

  @Test
  void reportNothingWithAFailure() throws Exception {
    ask(NODE);
    handle(
        GET,
        get(),
        (request, channel, task) -> channel.sendResponse(new IllegalStateException("odd")));
    assertThat(sent).containsExactly("odd []");
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(-1);
  }

  @Test
  void measureNoReadThatWaitsForARefresh() throws Exception {
    handle(
        GET,
        new GetRequest("index", "1").realtime(false),
        (request, channel, task) -> respondAfter(10, channel));
    assertThat(times.nanos(WorkKind.GET)).isEqualTo(-1);
  }

  /** OpenSearch's own measure of a bulk: with each response, but of this bulk alone. */
  @Test
  void averageTheTimesOfPrimaries() throws Exception {
    for (long nanos :
        new long[] {1000, 2000, -1, BulkShardResponse.DEFAULT_SERVICE_TIME_IN_NANOS}) {
      BulkShardResponse response =
          new BulkShardResponse(new ShardId("index", "uuid", 0), new BulkItemResponse[0], nanos, 0);
      handle(PRIMARY, get(), (request, channel, task) -> channel.sendResponse(response));
    }
    handle(PRIMARY, get(), (request, channel, task) -> respondAfter(10, channel));
    handle(
        PRIMARY,
        get(),
        (request, channel, task) -> channel.sendResponse(new IllegalStateException("odd")));
    assertThat(times.nanos(WorkKind.WRITE)).isEqualTo(1300);
  }

  @Test
  void beTheSameChannelInEverythingElse() throws Exception {
    handle(
        GET,
        get(),
        (request, channel, task) -> {
          assertThat(channel.getChannelType()).isEqualTo("transport");
          assertThat(channel.getProfileName()).isEqualTo("profile");
          assertThat(channel.getVersion()).isEqualTo(Version.V_2_19_0);
          assertThat(channel.get("ssl", String.class)).contains("session ssl");
          assertThat(channel.isCancelled()).isTrue();
          channel.sendResponseBatch(TransportResponse.Empty.INSTANCE);
          channel.sendResponseBatch(TransportResponse.Empty.INSTANCE, true);
          channel.completeStream();
        });
    assertThat(sent).containsExactly("batch", "batch true", "complete");
  }

  private void send(String what) {
    sent.add(what + " " + context.getResponseHeaders().getOrDefault("weir-load", List.of()));
  }

  @Override
  public void sendResponse(TransportResponse response) {
    send("response");
  }

  @Override
  public void sendResponse(Exception failure) {
    send(String.valueOf(failure.getMessage()));
  }

  @Override
  public void sendResponseBatch(TransportResponse response) {
    sent.add("batch");
  }

  @Override
  public void sendResponseBatch(TransportResponse response, boolean last) {
    sent.add("batch " + last);
  }

  @Override
  public void completeStream() {
    sent.add("complete");
  }

  @Override
  public boolean isCancelled() {
    return true;
  }

  @Override
  public String getProfileName() {
    return "profile";
  }

  @Override
  public String getChannelType() {
    return channelType;
  }

  @Override
  public Version getVersion() {
    return Version.V_2_19_0;
  }

  @Override
  public <T> Optional<T> get(String name, Class<T> type) {
    return Optional.of(type.cast("session " + name));
  }
}
