package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.tasks.TaskResourceTrackingService;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/** How response headers are read, as a node's own classes write them. */
class ReplyReaderTest extends NodeChannelFixture {
  private static final String USAGE = TaskResourceTrackingService.TASK_RESOURCE_USAGE;
  private static final String USAGE_JSON =
      "{\"action\":\"indices:data/read/search[phase/query]\",\"cpu\":\"ü\"}";

  private RecordingReplyHandler<String> replyWith(Map<String, List<String>> headers, Marks marks) {
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>();
    long id = sent(text(), handler).id();
    receive(NodeFrames.response(id, out -> out.writeString("reply"), headers, marks));
    return handler;
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void leaveOutTheResourcesThatTheNodeUsed(boolean compressed) {
    Marks marks = compressed ? Marks.COMPRESSED : Marks.PLAIN;

    RecordingReplyHandler<String> usageAlone = replyWith(Map.of(USAGE, List.of(USAGE_JSON)), marks);

    assertThat(usageAlone.reply()).isEqualTo("reply");
    assertThat(usageAlone.headers()).isSameAs(Map.of());
    assertThat(replyWith(Map.of(), marks).headers()).isSameAs(Map.of());
  }

  @Test
  void keepTheHeadersBesideTheResources() {
    Map<String, List<String>> kept =
        Map.of(
            "Warning",
            List.of("299 old", "299 älter"),
            USAGE + "2",
            List.of("longer"),
            USAGE.substring(1),
            List.of("shorter"),
            "X",
            List.of("y"));
    List<String> names = new ArrayList<>(kept.keySet());
    names.add(USAGE);
    // the writer's map orders the headers by hash: more of them give more orders
    for (int others = 0; others < 20; others++) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      IntStream.range(0, others).forEach(i -> headers.put("o" + i, List.of("v" + i)));
      names.forEach(name -> headers.put(name, kept.getOrDefault(name, List.of(USAGE_JSON, "2"))));

      RecordingReplyHandler<String> handler = replyWith(headers, Marks.PLAIN);

      assertThat(handler.reply()).isEqualTo("reply");
      assertThat(handler.headers())
          .hasSize(others + kept.size())
          .doesNotContainKey(USAGE)
          .containsEntry("Warning", Set.of("299 old", "299 älter"))
          .containsEntry(USAGE + "2", Set.of("longer"))
          .containsEntry(USAGE.substring(1), Set.of("shorter"))
          .containsEntry("X", Set.of("y"));
      assertThat(handler.headers().get("Warning")).containsExactly("299 old", "299 älter");
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void keepTheNodesLoadApart(boolean compressed) {
    Marks marks = compressed ? Marks.COMPRESSED : Marks.PLAIN;
    Map<String, List<String>> headers =
        Map.of(
            NodeLoadReport.HEADER,
            List.of("3,14,812345,27,61,1042,2"),
            "Warning",
            List.of("299 old"),
            USAGE,
            List.of(USAGE_JSON));

    RecordingReplyHandler<String> handler = replyWith(headers, marks);

    assertThat(handler.reply()).isEqualTo("reply");
    assertThat(handler.headers()).isEqualTo(Map.of("Warning", Set.of("299 old")));
    assertThat(handler.loadReport()).isEqualTo(new NodeLoadReport(3, 14, 812_345, 27, 61, 1042, 2));
    assertThat(replyWith(Map.of(), marks).loadReport()).isNull();
  }

  /** A response as the plugin compresses it. */
  private static byte[] zstd(byte[] payload) {
    byte[] rest = Zstd.compress(Arrays.copyOfRange(payload, 1024, payload.length));
    byte[] bytes = Arrays.copyOf(payload, 1024 + rest.length);
    System.arraycopy(rest, 0, bytes, 1024, rest.length);
    return bytes;
  }

  private static byte[] written(String text) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(text);
      return BytesReference.toBytes(out.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private RecordingReplyHandler<String> replyWithZstd(byte[] bytes, String... sizes) {
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>();
    long id = sent(text(), handler).id();
    Map<String, List<String>> headers =
        Map.of("weir-zstd", List.of(sizes), "Warning", List.of("299 old"));
    receive(NodeFrames.response(id, out -> out.writeBytes(bytes), headers, Marks.PLAIN));
    return handler;
  }

  @Test
  void readWhatThePluginCompressed() {
    for (int length : new int[] {1_100, 2_000, 60_000}) {
      String text = "weir ".repeat(length / 5);
      byte[] payload = written(text);

      RecordingReplyHandler<String> handler =
          replyWithZstd(zstd(payload), Integer.toString(payload.length));

      assertThat(handler.reply()).isEqualTo(text);
      assertThat(handler.headers()).isEqualTo(Map.of("Warning", Set.of("299 old")));
    }
  }

  @Test
  void rejectWhatIsBrokenByZstd() {
    byte[] payload = written("weir ".repeat(2_000));
    byte[] good = zstd(payload);
    String size = Integer.toString(payload.length);
    byte[] flipped = good.clone();
    flipped[1024]++;
    List<RecordingReplyHandler<String>> broken = new ArrayList<>();
    broken.add(replyWithZstd(flipped, size));
    broken.add(replyWithZstd(Arrays.copyOf(good, good.length - 3), size));
    broken.add(replyWithZstd(Arrays.copyOf(good, 1024), size));
    broken.add(replyWithZstd(Arrays.copyOf(good, 100), size));
    for (String wrong :
        List.of("10001", "10003", "65537", "1024", "-5", "", "x", "99999999999", "2147483648")) {
      broken.add(replyWithZstd(good, wrong));
    }

    assertThat(broken)
        .allSatisfy(handler ->
            assertThat(handler.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED));
    assertThat(channel.isOpen()).isTrue();
    assertThat(replyWithZstd(good, size).reply()).startsWith("weir ");
  }

  private static final class LimitedBudget implements FrameBudget {
    private final long maxBytes;
    private long bytes;
    private int rejections;

    LimitedBudget(long maxBytes) {
      this.maxBytes = maxBytes;
    }

    @Override
    public @Nullable Exception reserve(long more) {
      Exception rejection = tryReserve(more);
      rejections += rejection == null ? 0 : 1;
      return rejection;
    }

    @Override
    public @Nullable Exception tryReserve(long more) {
      if (bytes + more > maxBytes) {
        return new IllegalStateException("full");
      }
      bytes += more;
      return null;
    }

    @Override
    public void release(long less) {
      bytes -= less;
    }
  }

  /** The memory for four times the bytes is not there. */
  @Test
  void inflateAResponseThatGrowsByLittle() {
    SplittableRandom random = new SplittableRandom(3);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40_000; i++) {
      text.append((char) random.nextInt(128)); // seven bits of each byte
    }
    LimitedBudget budget = new LimitedBudget(95_000);
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>(false, budget);
    long id = sent(text(), handler).id();

    receive(
        NodeFrames.response(
            id, out -> out.writeString(text.toString()), Map.of(), Marks.COMPRESSED));

    assertThat(handler.reply()).isEqualTo(text.toString());
    assertThat(budget.rejections).isZero();
  }

  @Test
  void countNoRejectionOfTheSharedBudgetWhereLessWouldDo() {
    LimitedBudget all = new LimitedBudget(50);
    Frame.Charge charge = new Frame.Charge(new CountingFrameBudget(all), null);

    assertThat(charge.reserve(100, true)).hasMessage("full");
    assertThat(all.rejections).isZero();
    assertThat(charge.reserve(100)).hasMessage("full");
    assertThat(all.rejections).isOne();
    assertThat(charge.reserve(50, true)).isNull();
    charge.release();
    assertThat(all.bytes).isZero();
  }

  /** What frees search contexts reads the beginning of a response that there is no memory for. */
  @Test
  void keepTheBeginningOfAResponseOverTheBudget() {
    byte[] payload = written("weir ".repeat(2_000));
    FrameBudget budget = new LimitedBudget(5_000);
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>(false, budget);
    long id = sent(text(), handler).id();
    receive(
        NodeFrames.response(
            id,
            out -> out.writeBytes(zstd(payload)),
            Map.of("weir-zstd", List.of(Integer.toString(payload.length))),
            Marks.PLAIN));

    assertThat(handler.failure().kind()).isEqualTo(NodeCallException.Kind.OVER_BUDGET);
    assertThat(handler.failure().payloadPrefix()).isEqualTo(Arrays.copyOf(payload, 1024));
  }

  private static void assertNoMemoryFor(byte[] payload, RecordingReplyHandler<String> handler) {
    NodeCallException failure = handler.failure();
    assertThat(failure.kind()).isEqualTo(NodeCallException.Kind.OVER_BUDGET);
    assertThat(failure.status()).isEqualTo(429);
    assertThat(failure).hasMessageContaining("no memory for an answer: got ");
    assertThat(failure.payloadPrefix()).isEqualTo(Arrays.copyOf(payload, 1024));
  }

  @Test
  void rejectAResponseThatThereIsNoMemoryToDecompress() {
    String text = "weir ".repeat(2_000);
    byte[] payload = written(text);
    RecordingReplyHandler<String> deflated = new RecordingReplyHandler<>();
    long id = sent(text(), deflated).id();
    outOfMemoryBytes = 1024;
    receive(NodeFrames.response(id, out -> out.writeString(text), Map.of(), Marks.COMPRESSED));
    outOfMemoryBytes = payload.length;
    RecordingReplyHandler<String> compressed =
        replyWithZstd(zstd(payload), Integer.toString(payload.length));

    assertNoMemoryFor(payload, deflated);
    assertNoMemoryFor(payload, compressed);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void rejectAResponseThatThereIsNoMemoryToRead() {
    String text = "weir ".repeat(2_000);
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>();
    NodeCall<String> call =
        text(
            out -> {},
            in -> {
              throw new OutOfMemoryError("no heap, on purpose");
            });
    long id = sent(call, handler).id();
    receive(answer(id, text));

    assertNoMemoryFor(written(text), handler);
  }

  @Test
  void readTheFirstOfSeveralLoads() {
    RecordingReplyHandler<String> handler =
        replyWith(
            Map.of(NodeLoadReport.HEADER, List.of("1,2,3,4,5,6,7", "7,6,5,4,3,2,1")), Marks.PLAIN);

    assertThat(handler.reply()).isEqualTo("reply");
    assertThat(handler.headers()).isSameAs(Map.of());
    assertThat(handler.loadReport()).isEqualTo(new NodeLoadReport(1, 2, 3, 4, 5, 6, 7));
  }

  @Test
  void leaveOutALoadThatIsMalformed() {
    for (String malformed :
        List.of("", "x", "1,2,3", "ü,2,3,4,5,6,7", "1,2,3,4,5,6,7".repeat(100))) {
      RecordingReplyHandler<String> handler =
          replyWith(Map.of(NodeLoadReport.HEADER, List.of(malformed)), Marks.PLAIN);

      assertThat(handler.reply()).isEqualTo("reply");
      assertThat(handler.headers()).isSameAs(Map.of());
      assertThat(handler.loadReport()).isNull();
    }
  }

  @Test
  void rejectAFrameWhoseSkippedHeaderIsBroken() {
    byte[] value = USAGE_JSON.getBytes(StandardCharsets.UTF_8);
    for (int count : new int[] {2, 100, 127}) {
      RecordingReplyHandler<String> handler = new RecordingReplyHandler<>();
      long id = sent(text(), handler).id();
      byte[] frame =
          NodeFrames.response(
              id, out -> out.writeString("reply"), Map.of(USAGE, List.of(USAGE_JSON)), Marks.PLAIN);
      int at = indexOf(frame, value) - 2; // the number of values, then the value's length
      assertThat(frame[at]).isEqualTo((byte) 1);
      frame[at] = (byte) count;

      receive(frame);

      assertThat(handler.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
    }
  }

  private static int indexOf(byte[] bytes, byte[] sought) {
    return IntStream.range(0, bytes.length - sought.length)
        .filter(at -> Arrays.equals(bytes, at, at + sought.length, sought, 0, sought.length))
        .findFirst()
        .orElseThrow();
  }
}
