package dev.weir.http;

import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.BodyStreaming;
import dev.weir.model.HttpReply;
import dev.weir.model.ReplyBody;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestRouter;
import dev.weir.model.StreamedReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer, from the first byte of the one to the last byte of the other.
 * Confined to its channel's event loop.
 *
 * <pre>
 *   received --> answered --> finished     finished exactly once: by the last byte, by the
 *       `------------------------^         disconnect, or because the connection is closed unanswered
 * </pre>
 *
 * Answered is who has an {@link Answer} that may be written once its turn has come.
 */
final class Exchange implements ChannelFutureListener {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  /** What a request that went away before its answer is logged as. */
  private static final int GONE = 499;

  private final ClientConnection connection;
  private final HttpRequest request;
  private final Tally tally;
  private boolean closeAfter;
  private boolean closeAnnounced;
  private BodySink sink = BodySink.DISCARD;
  private @Nullable Entry entry;
  private @Nullable CoordinatedExchange coordinated;
  private @Nullable Answer answer;
  private boolean answered;
  private boolean relayed;
  private boolean finished;

  Exchange(ClientConnection connection, HttpRequest request, long startedNanos) {
    this.connection = connection;
    this.request = request;
    this.tally = new Tally(System.currentTimeMillis(), startedNanos);
    this.closeAfter = !connection.isStream() && RequestHeads.closes(request);
  }

  // The request, as its connection delivers it.

  /**
   * Decides what becomes of the request by its head.
   *
   * @param whole the body when it came with the head, borrowed; null when it follows
   */
  void begin(@Nullable ByteBuf whole) {
    switch (HeadFault.of(request)) {
      case HeadFault.Undecodable(Throwable why) -> undecodable(why);
      case HeadFault.Unknown(int code, String why) -> vanish(code, why);
      case null -> goIn(whole);
    }
  }

  private void goIn(@Nullable ByteBuf whole) {
    tally.begin(request, connection.options().traces());
    Entry door = new Entry(this);
    entry = door;
    door.begin(whole);
  }

  /** Whether the request waits at the gate: its body must wait too. */
  boolean atGate() {
    return entry != null && entry.waits();
  }

  long mostGathered() {
    return connection.desk().budget().limit() / 2;
  }

  /** Where its head and body say that it goes. */
  Entry entry() {
    return Objects.requireNonNull(entry, "got no entry (expected: a head that was read)");
  }

  /**
   * Gathers the body and has the request coordinated, or answered by the gateway itself.
   *
   * @return the bytes for which there is no room; 0 when there is
   */
  long gather(RequestRouter.Way way, long announced) {
    tally.wouldGo(way);
    return way instanceof RequestRouter.Coordinate(_, BodyStreaming streaming)
        ? gather(announced, true, streaming)
        : gather(announced, false, null);
  }

  /** Who gathers its body; null while nobody does. */
  @Nullable CoordinatedExchange coordinated() {
    return coordinated;
  }

  private long gather(long announced, boolean mayPassThrough, @Nullable BodyStreaming streaming) {
    int longest = connection.options().limits().maxContentBytes();
    int most = mayPassThrough ? (int) Math.min(longest, mostGathered()) : longest;
    if (streaming != null) {
      most = (int) Math.min(most, streaming.gathered(announced));
    }
    CoordinatedExchange gathering =
        new CoordinatedExchange(this, announced, most, mayPassThrough && most < longest, streaming);
    coordinated = gathering;
    long lacking = gathering.reserve();
    if (lacking == 0) {
      sink = gathering.sink();
    }
    return lacking;
  }

  /** A piece of the body arrived; borrowed. */
  void content(ByteBuf piece) {
    tally.received(piece.readableBytes());
    if (entry != null) {
      entry.received(piece.readableBytes());
    }
    sink.content(piece);
  }

  /** The body is complete. */
  void contentEnd() {
    BodySink complete = sink;
    sink = BodySink.DISCARD;
    complete.end();
  }

  /** The request turned out not to be HTTP. */
  void undecodable(Throwable failure) {
    closeAfter = true;
    connection.stopReading();
    BodySink broken = sink;
    sink = BodySink.DISCARD;
    if (!broken.broken(failure)) {
      unfit(failure);
    }
  }

  /** Nothing can be made of the body: the rest of it is read for nothing. */
  private void unfit(Throwable why) {
    sink = BodySink.DISCARD;
    Answer awaited = answer;
    if (awaited != null && !answered) {
      answer = null;
      awaited.over(false);
    }
    connection.resumeForBody(this);
    refuse(ErrorBody.undecodable(why), Map.of());
  }

  /** The body is not what it says, or can't be what it has to become. */
  void corrupt(DecompressionException failure) {
    if (!(failure instanceof UnchangeableBodyException)) {
      vanish(400, "got a body that is not what it says: " + failure.getMessage());
    } else if (!answered) {
      unfit(failure);
    } else if (relayed && tally.isRefusal()) { // the node's word, without the rest of it
      sink = BodySink.DISCARD;
      connection.resumeForBody(this);
    } else {
      breakOff();
    }
  }

  // Answers.

  /**
   * Sends the request through to a node.
   *
   * @param whole its body, owned; null when it follows
   */
  void relay(RequestRouter.PassThrough way, @Nullable ByteBuf whole) {
    if (!open()) {
      if (whole != null) {
        whole.release();
      }
      return;
    }
    RelayAnswer relay = new RelayAnswer(this, way, null, entry().kept(whole));
    relay(way, relay, whole, relay);
  }

  /** What more comes of the body goes here. */
  void streamTo(BodySink streamed) {
    sink = streamed;
  }

  /** Sends the request through to a node with a body that was only begun to be gathered. */
  void relay(RequestRouter.PassThrough way, OutgrownBody body) {
    if (!open()) {
      body.discard();
      return;
    }
    relay(way, new RelayAnswer(this, way, body, null), null, body);
  }

  private void relay(
      RequestRouter.PassThrough way, RelayAnswer relay, @Nullable ByteBuf whole, BodySink rest) {
    tally.passedThrough(way.reason());
    relayed = true;
    answer = relay;
    sink = whole == null ? rest : sink;
    relay.open(whole);
  }

  /** The node's answer has begun. */
  void answerBegun(int code) {
    tally.status(code);
    answered = true;
    connection.answerReady(this);
  }

  /**
   * The node's answer did not come, and nothing of it was sent; whether others get the body.
   *
   * @param body to send once more; its owner's unless true is returned; null for none
   */
  boolean relayFailed(ProxyFailure failure, String reason, @Nullable KeptBody body) {
    answered = false;
    sink = BodySink.DISCARD;
    RequestRouter.Way bare = entry().again(failure);
    if (bare != null) {
      relayed = false;
      answer = null;
      goOn(bare);
      return false;
    }
    RequestRouter.PassThrough again = entry().again(failure, reason, body);
    if (again == null || body == null) {
      refuse(ErrorBody.of(failure), Entry.isFull(failure) ? Refusals.RETRY_SOON : Map.of());
      return false;
    }
    RelayAnswer relay = new RelayAnswer(this, again, null, body);
    relay(again, relay, body.again(), relay);
    return true;
  }

  /** Goes to another place, without a body. */
  private void goOn(RequestRouter.Way way) {
    if (coordinated != null) {
      tally.wouldGo(way);
      coordinated.goOn(way);
    } else if (way instanceof RequestRouter.PassThrough through) {
      relay(through, Unpooled.EMPTY_BUFFER);
    } else {
      gather(way, 0);
      contentEnd();
    }
  }

  /** Answers, unless there is an answer already or nobody waits for it. */
  void respond(HttpReply reply) {
    if (!open()) {
      if (!finished) {
        LOG.error("got a second answer to {} {} (expected: one)", request.method(), request.uri());
      }
      reply.onReleased().run();
    } else {
      answerWith(reply);
    }
  }

  /** Answers with what comes while the client takes it, unless nobody waits for it. */
  void respond(StreamedReply reply) {
    if (!open()) {
      reply.body().over(false);
      reply.onReleased().run();
      return;
    }
    HttpHeaders headers = AnswerHeads.of(this, entry, reply.head());
    finishHead(headers);
    ready(
        new StreamedAnswer(this, reply, headers, AnswerHeads.coding(this, headers)),
        reply.status());
  }

  boolean open() {
    return !answered && !relayed && !finished;
  }

  private void answerWith(HttpReply reply) {
    HttpHeaders headers;
    try {
      headers = AnswerHeads.of(this, entry, reply);
    } catch (IllegalArgumentException e) {
      reply.onReleased().run();
      LOG.error("can't send a header of the answer to {} {}", request.method(), request.uri(), e);
      if (reply.headers().isEmpty()) {
        vanish(500, "got a header that can't be echoed (expected: one that HTTP allows)");
      } else {
        refuse(Refusals.unsendable(e), Map.of());
      }
      return;
    }
    ContentCoding coding = AnswerHeads.coding(this, headers);
    HttpResponseStatus code = HttpResponseStatus.valueOf(reply.status());
    if (RequestHeads.explained(reply.status()) && connection.desk().refusals().test(tally.id())) {
      headers.set(RequestHeads.REQUEST, Long.toString(tally.id()));
    }
    finishHead(headers);
    ready(
        new ReplyAnswer(this, code, headers, reply.body(), reply.onReleased(), coding),
        reply.status());
  }

  /** Answers with an error of the gateway's own. */
  void refuse(ErrorBody error, Map<String, String> headers) {
    if (answered || finished) {
      return;
    }
    tally.refused();
    answerWith(error.reply(headers, RequestHeads.pretty(request.uri())));
  }

  /** Answers 413 and does not read the rest of the body. */
  void refuseTooLong() {
    sink = BodySink.DISCARD;
    closeAfter |= !connection.isStream();
    refuseBare(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE);
  }

  /** Answers as Netty's aggregator does for a node: nothing but the status. */
  void refuseBare(HttpResponseStatus code) {
    if (answered || finished) {
      return;
    }
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    closeAnnounced |= closeAfter && !connection.isStream();
    finishHead(headers);
    ready(new ReplyAnswer(this, code, headers, ReplyBody.EMPTY, () -> {}, null), code.code());
  }

  private void ready(Answer given, int code) {
    answer = given;
    answered = true;
    tally.status(code);
    connection.answerReady(this);
  }

  /** The connection's part of an answer's head. */
  void finishHead(HttpHeaders headers) {
    if (!connection.isStream() && (connection.draining() || closeAnnounced)) {
      closeAfter = true;
      ReplyAnswer.announceClose(headers);
    }
  }

  /** Its turn to answer has come, and perhaps there is an answer. */
  void startAnswer() {
    write(Answer::start);
  }

  void resumeAnswer() {
    write(Answer::resume);
  }

  private void write(Consumer<Answer> writing) {
    Answer given = answer;
    if (answered && given != null) {
      try {
        writing.accept(given);
      } catch (Throwable e) { // also for want of memory: nothing else would end it
        breakOff();
        LOG.error("can't write the answer to {} {}", request.method(), request.uri(), e);
      }
    }
  }

  /** An answer that has begun can't be completed: the client must not take it for complete. */
  void breakOff() {
    connection.closeNow();
  }

  /** Closes the connection without a word, as a node does in such a case. */
  void vanish(int code, String why) {
    LOG.debug("client {}: {}, connection closed", connection.remote(), why);
    tally.status(code);
    end(false);
    connection.closeNow();
  }

  // The end.

  /** The last byte was written, or could not be. */
  @Override
  public void operationComplete(ChannelFuture written) {
    boolean success = written.isSuccess();
    connection.lastWritten(this, success);
    if (!finished) {
      if (!success) {
        tally.status(GONE);
      }
      end(success);
    }
  }

  /** The client went away before the last byte was written. */
  void disconnected() {
    if (!finished) {
      tally.status(GONE);
      end(false);
    }
  }

  private void end(boolean complete) {
    finished = true;
    sink = BodySink.DISCARD;
    Answer last = answer;
    answer = null;
    if (coordinated != null && !complete) {
      coordinated.left(); // before the answer is given back, which is the end of its work
    }
    if (last != null) {
      last.over(complete);
    }
    if (coordinated != null) {
      coordinated.over(complete, relayed);
    }
    if (entry != null) {
      entry.over(tally);
    }
    connection.desk().log().accept(tally.total(this, connection));
  }

  // What the connection and the answers ask.

  ClientConnection connection() {
    return connection;
  }

  HttpRequest request() {
    return request;
  }

  boolean answered() {
    return answered;
  }

  boolean closeAfter() {
    return closeAfter;
  }

  /** The end of the connection is the end of the answer. */
  void closeAfterAnswer() {
    closeAfter = true;
  }

  /** The connection is closed after the answer, which says so. */
  void announceClose() {
    closeAnnounced = true;
  }

  /** Whether the answer has no body whatever its length says. */
  boolean bodyless() {
    return request.method().equals(HttpMethod.HEAD);
  }

  String protocol() {
    return connection.isStream() ? "HTTP/2.0" : request.protocolVersion().text();
  }

  /** What is counted of it. */
  Tally tally() {
    return tally;
  }

  /** Whose request it is. */
  String tenant() {
    return entry == null ? RequestContext.DEFAULT_TENANT : entry.tenant();
  }

  long arrivedNanos() {
    return tally.startedNanos();
  }

  void sent(int bytes) {
    tally.sent(bytes);
  }
}
