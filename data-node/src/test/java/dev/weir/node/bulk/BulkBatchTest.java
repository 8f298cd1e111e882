package dev.weir.node.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.LoneTransport;
import dev.weir.node.UnwritableException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchWrapperException;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.RequestHandlerRegistry;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/** What a node does with the parts of bulks. */
final class BulkBatchTest {
  private static final TaskId PARENT = new TaskId("n1", 1_000_000_000_007L);
  private static final int MANY_BYTES = 1 << 20;

  /** Longer than any test takes. */
  private static final int LONG_WAIT = 10_000;

  private final ThreadPool threads =
      new ThreadPool(Settings.builder().put("node.name", "lone").build());
  private final TransportService transport = LoneTransport.start(threads);
  private final BulkBatchService service = new BulkBatchService(transport);
  private final Map<String, Waiting> waiting = new HashMap<>();

  /** All parts, by their texts. */
  private final Map<String, WeakReference<Part>> received = new HashMap<>();

  /** A part whose outcome the test gives, in the context of the part. */
  private record Waiting(
      TransportChannel channel, Task task, Supplier<ThreadContext.StoredContext> context) {
    @SuppressWarnings("try") // the context is only left
    void answer(String text) throws IOException {
      try (ThreadContext.StoredContext ignored = context.get()) {
        channel.sendResponse(new TextResponse(text));
      }
    }
  }

  BulkBatchTest() {
    transport.registerRequestHandler(
        BulkBatchService.PART_ACTION, ThreadPool.Names.SAME, Part::new, this::receive);
  }

  @AfterEach
  void stop() {
    assertThat(service.keptBatches()).isZero();
    transport.close();
    threads.shutdownNow();
  }

  /** Refuses parts that say so, as a node does on arrival; others wait. */
  private void receive(Part part, TransportChannel channel, Task task) {
    received.put(part.text, new WeakReference<>(part));
    threads.getThreadContext().addResponseHeader("Warning", "on " + part.text);
    if (part.text.startsWith("refuse")) {
      throw new OpenSearchRejectedExecutionException(part.text);
    }
    waiting.put(
        part.text,
        new Waiting(channel, task, threads.getThreadContext().newRestorableContext(true)));
  }

  private Waiting take(String text) {
    return Objects.requireNonNull(waiting.remove(text));
  }

  private void answer(String... parts) throws IOException {
    for (String part : parts) {
      take(part).answer(part);
    }
  }

  private static final class Part extends TransportRequest {
    private final String text;

    Part(StreamInput in) throws IOException {
      super(in);
      text = in.readString();
    }
  }

  private static final class TextResponse extends TransportResponse {
    private final String text;

    TextResponse(String text) {
      this.text = text;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      if (text.equals("unwritable")) {
        throw new IOException(text);
      }
      out.writeString(text);
    }
  }

  /** What a gateway reads: the batch's id if there is more, and the results. */
  private record Answer(Long batch, List<String> results, List<Exception> failures) {
    static Answer read(BulkBatchResponse response) throws IOException {
      BytesStreamOutput out = new BytesStreamOutput();
      response.writeTo(out);
      StreamInput in = out.bytes().streamInput();
      Long batch = in.readBoolean() ? in.readLong() : -1L;
      List<Integer> places = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        places.add(in.readVInt());
      }
      List<String> results = new ArrayList<>();
      List<Exception> failures = new ArrayList<>();
      for (int place : places) {
        boolean failed = in.readBoolean();
        StreamInput result = in.readBytesReference().streamInput();
        if (failed) {
          Exception failure = result.readException();
          failures.add(failure);
          results.add(place + ": " + ExceptionsHelper.unwrapCause(failure).getMessage());
        } else {
          results.add(place + ": " + result.readString());
        }
      }
      return new Answer(batch, results, failures);
    }
  }

  /** A gateway that waits for one response. */
  private final class Gateway implements TransportChannel {
    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private Map<String, List<String>> headers = Map.of();

    Answer answer() throws Exception {
      return received.take() instanceof BulkBatchResponse response
          ? Answer.read(response)
          : new Answer(-1L, List.of("an exception"), List.of());
    }

    @Override
    public String getProfileName() {
      return "default";
    }

    @Override
    public String getChannelType() {
      return "test";
    }

    @Override
    public void sendResponse(TransportResponse response) {
      headers = threads.getThreadContext().getResponseHeaders();
      received.add(response);
    }

    @Override
    public void sendResponse(Exception exception) {
      received.add(exception);
    }
  }

  private Gateway send(int maxBytes, int minWaitMillis, String... parts) throws Exception {
    return receive(
        BulkBatchService.ACTION,
        out -> {
          PARENT.writeTo(out);
          out.writeVInt(maxBytes);
          out.writeVInt(minWaitMillis);
          for (String part : parts) {
            out.writeBoolean(true);
            PARENT.writeTo(out);
            out.writeString(part);
          }
          out.writeBoolean(false);
        });
  }

  private Gateway next(long batch, boolean wanted) throws Exception {
    return receive(
        BulkBatchService.NEXT_ACTION,
        out -> {
          TaskId.EMPTY_TASK_ID.writeTo(out);
          out.writeLong(batch);
          out.writeBoolean(wanted);
        });
  }

  private Gateway receive(String action, Writeable payload) throws Exception {
    BytesStreamOutput out = new BytesStreamOutput();
    payload.writeTo(out);
    Gateway gateway = new Gateway();
    process(transport.getRequestHandler(action), out.bytes().streamInput(), gateway);
    return gateway;
  }

  private static <R extends TransportRequest> void process(
      RequestHandlerRegistry<R> handler, StreamInput in, TransportChannel channel)
      throws Exception {
    R request = handler.newRequest(in);
    try {
      handler.processMessageReceived(request, channel);
    } catch (Exception refused) {
      channel.sendResponse(refused);
    }
  }

  @Test
  void beginsAllPartsAndAnswersOnceAllAreDone() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "a", "b", "c");
    assertThat(waiting.keySet()).containsExactlyInAnyOrder("a", "b", "c");
    Task part = Objects.requireNonNull(waiting.get("a")).task();
    assertThat(part.getParentTaskId()).isEqualTo(PARENT);
    assertThat(part.getAction()).isEqualTo(BulkBatchService.PART_ACTION);
    answer("b", "c");
    assertThat(gateway.received).isEmpty();
    answer("a");
    assertThat(gateway.answer().results()).containsExactly("1: b", "2: c", "0: a");
    assertThat(gateway.headers.get("Warning")).containsExactlyInAnyOrder("on a", "on b", "on c");
    assertThat(transport.getTaskManager().getTasks()).isEmpty();
  }

  @Test
  void answersAtOnceWhenAllAreRefused() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "refuse a", "refuse b");
    Answer answer = gateway.answer();
    assertThat(answer.batch()).isEqualTo(-1);
    assertThat(answer.results()).containsExactly("0: refuse a", "1: refuse b");
    assertThat(wrappers(answer.failures().getFirst())).isEqualTo(1);
  }

  /** The gateway tells a rejection on arrival from one by the primary by the wrappers. */
  @Test
  void wrapsAFailureOfThePrimaryTwice() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "a");
    take("a")
        .channel()
        .sendResponse(
            new RemoteTransportException(
                "lone",
                transport.getLocalNode().getAddress(),
                BulkBatchService.PART_ACTION + "[p]",
                new OpenSearchRejectedExecutionException("full")));
    Answer answer = gateway.answer();
    assertThat(answer.results()).containsExactly("0: full");
    assertThat(wrappers(answer.failures().getFirst())).isEqualTo(2);
  }

  private static int wrappers(Throwable failure) {
    int wrappers = 0;
    for (Throwable one = failure;
        one instanceof OpenSearchWrapperException && one.getCause() != null;
        one = one.getCause()) {
      wrappers++;
    }
    return wrappers;
  }

  @Test
  void doesNotKeepAFailureFromTheGateway() throws Exception {
    Gateway first = send(MANY_BYTES, LONG_WAIT, "a", "refuse b");
    Answer wave = first.answer();
    assertThat(wave.results()).containsExactly("1: refuse b");
    Gateway second = next(wave.batch(), true);
    answer("a");
    assertThat(second.answer().results()).containsExactly("0: a");
  }

  @Test
  void answersWithWhatIsThereWhileAPartTakesLong() throws Exception {
    Gateway first = send(MANY_BYTES, 1, "a", "b", "c");
    answer("c");
    Answer wave = first.answer();
    assertThat(wave.results()).containsExactly("2: c");
    answer("b", "a");
    Answer rest = next(wave.batch(), true).answer();
    assertThat(rest.results()).containsExactly("1: b", "0: a");
    assertThat(rest.batch()).isEqualTo(-1);
  }

  @Test
  void answersLargeResultsInParts() throws Exception {
    Gateway first = send(5, LONG_WAIT, "a", "long text", "c");
    answer("long text");
    Answer part = first.answer();
    assertThat(part.results()).containsExactly("1: long text");
    answer("a", "c");
    assertThat(next(part.batch(), true).answer().results()).containsExactly("0: a", "2: c");
  }

  @Test
  void failsAPartAloneWhoseResponseCanNotBeWritten() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "unwritable", "b");
    answer("b", "unwritable");
    assertThat(gateway.answer().results()).containsExactly("1: b", "0: unwritable");
  }

  @Test
  void answersAPartWhoseFailureCanNotBeWritten() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "a", "b");
    answer("b");
    take("a").channel().sendResponse(new UnwritableException());
    Answer answer = gateway.answer();
    assertThat(answer.batch()).isEqualTo(-1);
    assertThat(answer.results())
        .containsExactly(
            "1: b",
            "0: got a failure that can't be sent: [" + UnwritableException.class.getName() + "]");
    assertThat(wrappers(answer.failures().getFirst())).isEqualTo(1);
  }

  /** A part's documents are free when it ends, however long the others take. */
  @Test
  void forgetsPartsThatHaveEnded() throws Exception {
    Gateway gateway = send(MANY_BYTES, LONG_WAIT, "a", "b");
    answer("a");
    WeakReference<Part> ended = Objects.requireNonNull(received.get("a"));
    for (int i = 0; i < 100 && ended.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(ended.get()).isNull();
    answer("b");
    assertThat(gateway.answer().results()).containsExactly("0: a", "1: b");
  }

  @Test
  void answersWhileTheNodeCloses() throws Exception {
    Gateway first = send(5, LONG_WAIT, "a", "long text");
    threads.shutdown();
    answer("long text");
    Answer part = first.answer();
    assertThat(part.results()).containsExactly("1: long text");
    Gateway second = next(part.batch(), true);
    answer("a");
    assertThat(second.answer().results()).containsExactly("0: a");
  }

  @Test
  void keepsNoBatchOfANodeThatIsClosed() throws Exception {
    Gateway first = send(5, LONG_WAIT, "a", "long text");
    service.close();
    answer("long text");
    assertThat(first.answer().results()).containsExactly("1: long text");
    assertThat(service.keptBatches()).isZero();
    answer("a");
  }

  @Test
  void dropsResultsThatNobodyWantsAndCarriesOnWithTheParts() throws Exception {
    Gateway first = send(MANY_BYTES, 1, "a", "b");
    answer("a");
    long batch = first.answer().batch();
    next(batch, false);
    assertThat(waiting).containsKey("b");
    answer("b");
    assertThat(next(batch, true).received.take())
        .asString()
        .contains("got batch " + batch + " (expected: one with more results");
  }
}
