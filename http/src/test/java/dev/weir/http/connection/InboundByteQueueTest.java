package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class InboundByteQueueTest {
  /** Requests that one read may hold. */
  private static final int MANY = 3000;

  /** Messages of them that may wait: a bound, and what one more piece of bytes holds. */
  private static final int MAX_MESSAGES = 64 + 2 * (4096 / "GET /0 HTTP/1.1\r\n\r\n".length());

  private final List<String> handled = new ArrayList<>();
  private final List<Integer> bodyParts = new ArrayList<>();
  private boolean oneAtATime;
  private int reads;

  private final InboundByteQueue bytes = new InboundByteQueue();
  private final Connection connection = new Connection();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new ReadCounter(),
          bytes,
          new HttpServerCodec(new HttpDecoderConfig().setMaxChunkSize(64 << 10), Integer.MAX_VALUE),
          connection);
  private final InboundMessageQueue messages =
      new InboundMessageQueue(
          channel.pipeline().context(connection), bytes, this::handle, () -> {});

  private final class ReadCounter extends ChannelOutboundHandlerAdapter {
    @Override
    public void read(ChannelHandlerContext context) {
      reads++;
      context.read();
    }
  }

  private final class Connection extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpObject part) {
        messages.accept(part);
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }

  @BeforeEach
  void attach() {
    bytes.attach(messages);
  }

  @AfterEach
  void releaseAll() {
    messages.discard();
    channel.finishAndReleaseAll();
  }

  private void handle(HttpObject message) {
    if (message instanceof HttpRequest request) {
      handled.add(request.uri());
    }
    if (message instanceof HttpContent content && content.content().isReadable()) {
      bodyParts.add(content.content().readableBytes());
    }
    if (message instanceof LastHttpContent && oneAtATime) {
      messages.pause(InboundMessageQueue.PIPELINE_FULL);
    }
    ReferenceCountUtil.release(message);
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  private static List<String> uris() {
    return IntStream.range(0, MANY).mapToObj(i -> "/" + i).toList();
  }

  private static ByteBuf manyRequests() {
    StringBuilder requests = new StringBuilder();
    for (String uri : uris()) {
      requests.append("GET ").append(uri).append(" HTTP/1.1\r\n\r\n");
    }
    return text(requests.toString());
  }

  @Test
  void decodeFewOfTheRequestsThatCannotBeHandledYet() {
    messages.pause(InboundMessageQueue.PIPELINE_FULL);
    channel.writeInbound(manyRequests());
    assertThat(messages.size()).isBetween(64, MAX_MESSAGES);
    assertThat(handled).isEmpty();

    messages.resume(InboundMessageQueue.PIPELINE_FULL);
    assertThat(handled).isEqualTo(uris());
    assertThat(messages.isEmpty()).isTrue();
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void decodeMoreAsRequestsAreHandled() {
    oneAtATime = true;
    channel.writeInbound(manyRequests());
    for (int i = 1; i < MANY; i++) {
      assertThat(handled).hasSize(i);
      assertThat(messages.size()).isLessThanOrEqualTo(MAX_MESSAGES);
      assertThat(channel.config().isAutoRead()).isFalse();
      messages.resume(InboundMessageQueue.PIPELINE_FULL);
    }
    assertThat(handled).isEqualTo(uris());
  }

  @Test
  void readOnceMoreForARequestThatAwaitsAdmission() {
    messages.pause(InboundMessageQueue.AWAITING_ADMISSION);
    reads = 0;
    channel.writeInbound(text("GET / HTTP/1.1\r\n\r\n"));
    assertThat(reads).isOne();
  }

  @Test
  void readNoMoreWhileManyRequestsAwaitAdmission() {
    messages.pause(InboundMessageQueue.AWAITING_ADMISSION);
    reads = 0;
    channel.writeInbound(manyRequests());
    assertThat(reads).isZero();
  }

  @Test
  void decodeTheKnownRestOfABodyAtOnce() {
    int length = 60_000;
    channel.writeInbound(
        text("POST / HTTP/1.1\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length)));
    assertThat(bodyParts).hasSize(2);
    assertThat(bodyParts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(length);
  }

  @Test
  void decodeABodyOfUnknownLengthInFewPieces() {
    int length = 60_000;
    channel.writeInbound(
        text(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
                .formatted(length, "x".repeat(length))));
    assertThat(bodyParts).hasSizeBetween(2, 6);
    assertThat(bodyParts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(length);
  }

  @Test
  void decodeAllOfABodyThatWaits() {
    int length = 60_000;
    messages.pause(InboundMessageQueue.AWAITING_ADMISSION);
    channel.writeInbound(
        text("POST / HTTP/1.1\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length)));
    assertThat(bytes.isEmpty()).as("its end has been seen").isTrue();
    messages.resume(InboundMessageQueue.AWAITING_ADMISSION);
    assertThat(bodyParts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(length);
  }

  @Test
  void passEverythingOnceTheConnectionSpeaksAnotherProtocol() {
    List<Integer> pieces = new ArrayList<>();
    InboundByteQueue switching = new InboundByteQueue();
    EmbeddedChannel other =
        new EmbeddedChannel(
            switching,
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                pieces.add(((ByteBuf) message).readableBytes());
                ReferenceCountUtil.release(message);
                switching.detach();
              }
            });
    switching.attach(messages);
    other.writeInbound(text("x".repeat(20_000)));
    assertThat(pieces).containsExactly(4096, 20_000 - 4096);
    other.finishAndReleaseAll();
  }

  @Test
  void releaseWhatWaitsAtTheEnd() {
    ByteBuf requests = manyRequests();
    messages.pause(InboundMessageQueue.PIPELINE_FULL);
    channel.writeInbound(requests);
    assertThat(bytes.isEmpty()).isFalse();
    channel.finishAndReleaseAll();
    assertThat(requests.refCnt()).isZero();
  }
}
