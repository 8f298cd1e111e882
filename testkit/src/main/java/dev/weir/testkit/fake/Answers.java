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
public final class Answers {
  private static final int GARBAGE_BYTES = 4_096;

  static {
    // Without it exceptions of the server travel as unknown ones.
    OpenSearchServerException.registerExceptions();
  }

  private Answers() {}

  /** A good reply with a payload. */
  public static Answer reply(byte[] payload) {
    return replyOn(connection -> payload);
  }

  /** A good reply with what OpenSearch writes of an object. */
  public static Answer reply(Writeable response) {
    byte[] payload = bytes(response);
    return replyOn(connection -> payload);
  }

  /** A good reply whose payload depends on the connection. */
  static Answer replyOn(Function<FakeConnection, byte[]> payload) {
    return (connection, request) ->
        connection.write(FakeFrame.response(request, payload.apply(connection)));
  }

  /** An error reply. */
  public static Answer error(Exception failure) {
    byte[] payload = bytes(out -> out.writeException(failure));
    return (connection, request) -> connection.write(FakeFrame.error(request, payload));
  }

  /** No answer, ever; the connection stays open. */
  public static Answer silence() {
    return (connection, request) -> {};
  }

  /** The answer once a latch opens; later requests of the connection wait too. */
  public static Answer after(CountDownLatch latch, Answer answer) {
    return (connection, request) -> {
      try {
        latch.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      answer.give(connection, request);
    };
  }

  /** A ping. */
  public static Answer ping() {
    return (connection, request) -> connection.write(FakeFrame.ping());
  }

  /** Bytes that are no frame; the same ones for the same seed. */
  public static Answer garbage(long seed) {
    return (connection, request) -> {
      byte[] bytes = new byte[GARBAGE_BYTES];
      new Random(seed).nextBytes(bytes);
      connection.write(bytes);
    };
  }

  /** A reply that does not begin as frames do. */
  public static Answer wrongMagic(byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.withWrongMagic(FakeFrame.response(request, payload)));
  }

  /** A reply whose frame claims a length; too long, too short, or negative. */
  public static Answer claimedLength(int length, byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.withLength(FakeFrame.response(request, payload), length));
  }

  /** The first half of a reply, and nothing more; the connection stays open. */
  public static Answer halfFrame(byte[] payload) {
    return (connection, request) ->
        connection.write(FakeFrame.half(FakeFrame.response(request, payload)));
  }

  /** The first half of a reply, and the end of the connection. */
  public static Answer closeMidFrame(byte[] payload) {
    return halfFrame(payload).then(close());
  }

  /** A reply in single bytes. */
  public static Answer trickle(byte[] payload) {
    return (connection, request) -> {
      for (byte each : FakeFrame.response(request, payload)) {
        connection.write(new byte[] {each});
      }
    };
  }

  /** A reply to a request that was never sent. */
  public static Answer wrongRequestId(byte[] payload) {
    return (connection, request) ->
        connection.write(
            FakeFrame.withRequestId(
                FakeFrame.response(request, payload), request.requestId() + 1_000_000));
  }

  /** The end of the connection, in order. */
  public static Answer close() {
    return (connection, request) -> connection.close();
  }

  /** The end of the connection, with a reset. */
  public static Answer reset() {
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
