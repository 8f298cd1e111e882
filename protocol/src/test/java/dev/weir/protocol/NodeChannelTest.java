package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NotSerializableExceptionWrapper;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.SendRequestTransportException;
import org.opensearch.transport.TransportSerializationException;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/** The bytes that a channel writes, and how it reads replies. */
class NodeChannelTest extends NodeChannelFixture {
  private static final class FromAPlugin extends OpenSearchException {
    private static final long serialVersionUID = 1L;

    FromAPlugin() {
      super("of a plugin");
    }
  }

  private static final class Endless implements Writeable.Reader<String> {
    @Override
    @SuppressWarnings("InfiniteRecursion")
    public String read(StreamInput in) throws IOException {
      return 1 + read(in);
    }
  }

  @Test
  void askTheNodeByItsIdForItsLoad() {
    Writeable question = out -> out.writeString("question");
    sent(
        text(question),
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {}

          @Override
          public void onFailure(NodeCallException failure) {}

          @Override
          public boolean wantsLoadReport() {
            return true;
          }
        });
    assertThat(outbound())
        .isEqualTo(
            NodeFrames.request(
                1, "test/text", question, Map.of("weir-load", NODE.id()), Marks.PLAIN));
  }

  @Test
  void writesRequestsAsANodeWouldAndReadsItsAnswers() {
    RecordingReplyHandler<String> first = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> second = new RecordingReplyHandler<>();
    Map<String, String> headers = Map.of("X-Opaque-Id", "ïd");
    Writeable question = out -> out.writeString("question");
    NodeCall<String> withHeaders =
        new NodeCall<>(
            "test/text",
            question,
            StreamInput::readString,
            ChannelKind.READ,
            headers,
            Duration.ZERO);

    sent(withHeaders, first);
    assertThat(outbound())
        .isEqualTo(NodeFrames.request(1, "test/text", question, headers, Marks.PLAIN));
    sent(text(), second);
    assertThat(outbound())
        .isEqualTo(NodeFrames.request(2, "test/text", question, Map.of(), Marks.PLAIN));
    assertThat(counters.inFlight.get()).isEqualTo(2);

    receive(answer(2, "two"));
    receive(
        NodeFrames.response(
            1,
            out -> out.writeString("one"),
            Map.of("Warning", List.of("old", "älter"), "X", List.of("y")),
            Marks.PLAIN));

    assertThat(first.reply()).isEqualTo("one");
    assertThat(first.headers())
        .isEqualTo(Map.of("Warning", Set.of("old", "älter"), "X", Set.of("y")));
    assertThat(second.reply()).isEqualTo("two");
    assertThat(second.headers()).isEmpty();
  }

  @Test
  void writesTheVersionHandshakeAsANodeWould() throws IOException {
    ActiveCall<Version> call =
        new ActiveCall<>(
            Handshake.versionCall(Duration.ofSeconds(1)),
            channel.eventLoop(),
            new RecordingReplyHandler<>(),
            this);
    wire.sendHandshake(call);
    channel.runPendingTasks();
    byte[] bytes = outbound();

    // 137297827 as a vint is the version that a node 3.8.0 sends
    assertThat(Version.CURRENT).isEqualTo(Version.fromString("3.8.0"));
    assertThat(bytes)
        .isEqualTo(
            NodeFrames.request(
                1,
                "internal:tcp/handshake",
                out -> {
                  out.writeString("");
                  out.writeVInt(4);
                  out.writeVInt(137297827);
                },
                Map.of(),
                new Marks(Version.fromString("2.19.0"), true, false)));
    receive(NodeFrames.response(1, out -> out.writeVersion(Version.CURRENT)));
  }

  @Test
  void compressesBothWays() {
    wire.setVersion(Version.CURRENT, true);
    String question = "abc".repeat(20_000);
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();

    sent(text(out -> out.writeString(question)), told);
    byte[] request = outbound();
    receive(
        NodeFrames.response(
            1, out -> out.writeString("xyz".repeat(9_000)), Map.of(), Marks.COMPRESSED));

    assertThat(request).hasSizeLessThan(2_000);
    assertThat(told.reply()).isEqualTo("xyz".repeat(9_000));
  }

  /** The compressed bytes are gone, so they count no more. */
  @Test
  void holdsOnlyTheInflatedBytesOfAResponse() {
    byte[] random = new byte[30_000];
    new Random(7).nextBytes(random);
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>(true, null);
    sent(text(), told);
    String text = Base64.getEncoder().encodeToString(random);
    receive(NodeFrames.response(1, out -> out.writeString(text), Map.of(), Marks.COMPRESSED));
    assertThat(told.reply()).isEqualTo(text);
    assertThat(held.bytes()).as("the limit of an inflated response").isLessThanOrEqualTo(1 << 16);
    told.frame().release();
  }

  @Test
  void compressesByZstdForTheStartOfANodeThatReadsIt() {
    wire.setVersion(Version.CURRENT, true);
    Writeable question = out -> out.writeString("abc".repeat(20_000));
    byte[] deflated = NodeFrames.request(1, "test/text", question, Map.of(), Marks.COMPRESSED);
    sent(text(question), new RecordingReplyHandler<>());
    assertThat(outbound()[14]).as("status").isEqualTo(deflated[14]);

    zstdProcesses.add("eph2");
    sent(text(question), new RecordingReplyHandler<>());
    assertThat(outbound()[14]).as("another start of the node").isEqualTo(deflated[14]);

    zstdProcesses.add("eph1");
    sent(text(question), new RecordingReplyHandler<>());
    byte[] request = outbound();
    assertThat(request[14]).as("not compressed for the transport").isZero();
    assertThat(request).hasSizeLessThan(200);

    wire.setVersion(Version.CURRENT, false);
    sent(text(question), new RecordingReplyHandler<>());
    assertThat(outbound()).as("no compression").hasSizeGreaterThan(60_000);

    wire.setVersion(Version.CURRENT, true);
    NodeCall<String> internal =
        new NodeCall<>(
            "internal:test",
            question,
            StreamInput::readString,
            ChannelKind.READ,
            Map.of(),
            Duration.ZERO);
    sent(internal, new RecordingReplyHandler<>());
    assertThat(outbound()[14]).as("between nodes").isEqualTo(deflated[14]);
    for (int id = 1; id <= 5; id++) {
      receive(answer(id, "read"));
    }
  }

  @Test
  void refusesToInflateBeyondTheLimit() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    receive(
        NodeFrames.response(
            1, out -> out.writeBytes(new byte[(1 << 16) + 1]), Map.of(), Marks.COMPRESSED));

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
    assertThat(told.failure()).hasMessageContaining("got an answer that inflates to over");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void refusesBrokenCompression() {
    byte[] good =
        NodeFrames.response(1, out -> out.writeBytes(new byte[500]), Map.of(), Marks.COMPRESSED);
    for (int kind = 0; kind < 3; kind++) {
      RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
      long id = sent(text(), told).id();
      byte[] bad = good.clone();
      bad[13] = (byte) id;
      int payload = FrameLayout.HEADER_BYTES + bad[22];
      switch (kind) {
        case 0 -> bad[payload] = 'X';
        case 1 -> bad[payload + 5] = (byte) (bad[payload + 5] ^ 0x7F);
        default -> {
          bad = Arrays.copyOf(bad, bad.length - 3);
          bad[5] = (byte) (bad[5] - 3);
        }
      }
      receive(bad);
      assertThat(told.failure().kind())
          .as("kind %d", kind)
          .isEqualTo(NodeCallException.Kind.MALFORMED);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void givesErrorsAsANodeWouldGetThem() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    receive(error(1, new IndexNotFoundException("logs")));

    NodeCallException failure = told.failure();
    assertThat(failure.kind()).isEqualTo(NodeCallException.Kind.REMOTE);
    assertThat(failure.nodeId()).isEqualTo("id1");
    assertThat(failure.status()).isEqualTo(404);
    assertThat(failure.exception())
        .isInstanceOf(RemoteTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text]")
        .hasCauseInstanceOf(IndexNotFoundException.class);
  }

  @Test
  void keepErrorsOfUnknownClasses() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    receive(error(1, new FromAPlugin()));

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.REMOTE);
    assertThat(told.failure().exception())
        .isInstanceOf(RemoteTransportException.class)
        .hasCauseInstanceOf(NotSerializableExceptionWrapper.class)
        .cause()
        .hasMessageContaining("of a plugin");
  }

  @Test
  void failACallWithAnUnreadableResponse() {
    for (byte[] payload : List.of(new byte[] {9, 'x'}, new byte[] {1, 'x', 'y'}, new byte[0])) {
      RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
      long id = sent(text(), told).id();
      receive(NodeFrames.response(id, out -> out.writeBytes(payload)));

      assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
      assertThat(told.failure().exception())
          .isInstanceOf(RemoteTransportException.class)
          .hasCauseInstanceOf(TransportSerializationException.class);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void readResponsesOnTheCallersExecutor() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    List<String> read = new ArrayList<>();
    NodeCall<String> call =
        new NodeCall<>(
            "test/text",
            out -> {},
            in -> {
              read.add(in.readString());
              return read.getLast();
            },
            ChannelKind.READ,
            Map.of(),
            Duration.ofSeconds(30));
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    long first = sent(call, tasks::add, told).id();
    ActiveCall<String> abandoned = sent(call, tasks::add, new RecordingReplyHandler<>());
    RecordingReplyHandler<String> failed = new RecordingReplyHandler<>();
    long broken = sent(call, tasks::add, failed).id();
    receive(answer(first, "answer"));
    receive(answer(abandoned.id(), "late"));
    receive(NodeFrames.response(broken, out -> out.writeBytes(new byte[] {9, 'x'})));
    assertThat(read).isEmpty();

    abandoned.abandon();
    channel.runPendingTasks();
    tasks.forEach(Runnable::run);
    assertThat(told.reply()).isEqualTo("answer");
    assertThat(failed.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
    assertThat(read).containsExactly("answer");
  }

  @Test
  void survivesReadersThatOverflowTheStack() {
    NodeCall<String> endless =
        new NodeCall<>(
            "test/deep", out -> {}, new Endless(), ChannelKind.READ, Map.of(), Duration.ZERO);
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(endless, told);

    receive(answer(1, "x"));

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
  }

  @Test
  void tellsNothingFromWithinSend() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    NodeCall<String> broken =
        text(out -> {
          out.writeBytes(new byte[100_000]);
          throw new IOException("cannot write");
        });
    ActiveCall<String> call = new ActiveCall<>(broken, channel.eventLoop(), told, this);

    send(call);
    assertThat(told.isTold()).isFalse();
    channel.runPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure().exception())
        .isInstanceOf(SendRequestTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text]");
    RecordingReplyHandler<String> next = new RecordingReplyHandler<>();
    sent(text(), next);
    receive(answer(2, "fine"));
    assertThat(next.reply()).isEqualTo("fine");
  }

  @Test
  void encodesACallThatIsSentWhileAnotherIsEncoded() {
    RecordingReplyHandler<String> inner = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> outer = new RecordingReplyHandler<>();
    sent(
        text(out -> {
          out.writeString("question");
          sent(text(), inner);
        }),
        outer);

    Writeable question = out -> out.writeString("question");
    byte[] second = NodeFrames.request(2, "test/text", question, Map.of(), Marks.PLAIN);
    byte[] first = NodeFrames.request(1, "test/text", question, Map.of(), Marks.PLAIN);
    assertThat(outbound()).startsWith(second).endsWith(first).hasSize(first.length + second.length);
    receive(answer(1, "outer"));
    receive(answer(2, "inner"));
    assertThat(outer.reply()).isEqualTo("outer");
    assertThat(inner.reply()).isEqualTo("inner");
  }

  @Test
  void keepsARetainedFrameUntilItIsReleased() {
    NodeCall<BytesReference> call =
        new NodeCall<>(
            "test/bytes",
            out -> {},
            StreamInput::readBytesReference,
            ChannelKind.READ,
            Map.of(),
            Duration.ZERO);
    RecordingReplyHandler<BytesReference> told = new RecordingReplyHandler<>(true, null);
    sent(call, told);

    receive(NodeFrames.response(1, out -> out.writeBytesReference(new BytesArray("source"))));

    assertThat(held.frames()).isEqualTo(1);
    assertThat(told.reply().utf8ToString()).isEqualTo("source");
    told.frame().release();
    assertThat(held.frames()).isZero();
  }

  @Test
  void ignoresRequestsOfTheNode() {
    sent(text(), new RecordingReplyHandler<>());

    receive(NodeFrames.request(1, "test/text", out -> {}, Map.of(), Marks.PLAIN));

    assertThat(counters.inFlight.get()).isEqualTo(1);
    assertThat(counters.orphanedResponses.get()).isEqualTo(1);
  }

  @Test
  void survivesAHandlerThatThrows() {
    sent(
        text(),
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            throw new IllegalStateException("a bug, on purpose");
          }

          @Override
          public void onFailure(NodeCallException failure) {}
        });
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    receive(answer(1, "x"));
    receive(answer(2, "y"));

    assertThat(told.reply()).isEqualTo("y");
    assertThat(held.frames()).isZero();
  }
}
