package dev.weir.testkit.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.opensearch.OpenSearchServerException;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;

/** The answers that a fake node can give: good ones, and all the ways to get it wrong. */
public final class FakeReplies {
  private static final int GARBAGE_BYTES = 4_096;

  static {
    // Without it exceptions of the server travel as unknown ones.
    OpenSearchServerException.registerExceptions();
  }

  private FakeReplies() {}

  /** A good reply with a payload. */
  public static FakeReply reply(byte[] payload) {
    return replyFor(connection -> payload);
  }

  /** A good reply with what OpenSearch writes of an object. */
  public static FakeReply reply(Writeable response) {
    byte[] payload = bytes(response);
    return replyFor(connection -> payload);
  }

  /** A good reply whose payload depends on the connection. */
  static FakeReply replyFor(Function<FakeConnection, byte[]> payload) {
    return (connection, request) ->
        connection.write(FakeFrame.response(request, payload.apply(connection)));
  }

  /** An error reply. */
  public static FakeReply error(Exception failure) {
    byte[] payload = bytes(out -> out.writeException(failure));
    return (connection, request) -> connection.write(FakeFrame.error(request, payload));
  }

  /** No answer, ever; the connection stays open. */
  public static FakeReply silence() {
    return (connection, request) -> {};
  }

  /** The answer once a latch opens; later requests of the connection wait too. */
  public static FakeReply after(CountDownLatch latch, FakeReply answer) {
    return (connection, request) -> {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      answer.send(connection, request);
    };
  }

  /** A ping. */
  public static FakeReply ping() {
    return (connection, request) -> connection.write(FakeFrame.ping());
  }

  /** Bytes that are no frame; the same ones for the same seed. */
  public static FakeReply garbage(long seed) {
    return (connection, request) -> {
      byte[] bytes = new byte[GARBAGE_BYTES];
      new Random(seed).nextBytes(bytes);
      connection.write(bytes);
    };
  }

  /** A reply that does not begin as frames do. */
  public static FakeReply wrongMagic(byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.withWrongMagic(FakeFrame.response(request, payload)));
  }

  /** A reply whose frame claims a length; too long, too short, or negative. */
  public static FakeReply claimedLength(int length, byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.withLength(FakeFrame.response(request, payload), length));
  }

  /** The first half of a reply, and nothing more; the connection stays open. */
  public static FakeReply halfFrame(byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.half(FakeFrame.response(request, payload)));
  }

  /** The first half of a reply, and the end of the connection. */
  public static FakeReply closeMidFrame(byte[] payload) {
    return halfFrame(payload).then(close());
  }

  /** A reply in single bytes. */
  public static FakeReply trickle(byte[] payload) {
    return (connection, request) -> {
      for (byte each : FakeFrame.response(request, payload)) {
        connection.write(new byte[] {each});
      }
    };
  }

  /** A reply to a request that was never sent. */
  public static FakeReply wrongRequestId(byte[] payload) {
    return (connection, request) ->
        connection.write(
            FakeFrame.withRequestId(
                FakeFrame.response(request, payload), request.requestId() + 1_000_000));
  }

  /** The end of the connection, in order. */
  public static FakeReply close() {
    return (connection, request) -> connection.close();
  }

  /** The end of the connection, with a reset. */
  public static FakeReply reset() {
    return (connection, request) -> connection.reset();
  }

  private static byte[] bytes(Writeable writeable) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      writeable.writeTo(out);
      return BytesReference.toBytes(out.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
