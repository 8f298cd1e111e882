package dev.weir.http.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpCompression;
import dev.weir.model.ResponseBody;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The memory that a response counts while its client reads it. */
class BufferedResponseWriterTest {
  private static final int LONG = 2 << 20;

  private final StuckClient client = new StuckClient();
  private int released;

  /** A client that reads the headers, and then nothing. */
  private static final class StuckClient implements ResponseChannel {
    private final EmbeddedChannel wire = new EmbeddedChannel();
    private long held;

    @Override
    public HttpVersion protocolVersion() {
      return HttpVersion.HTTP_1_1;
    }

    @Override
    public boolean isHeadRequest() {
      return false;
    }

    @Override
    public HttpCompression compression() {
      return HttpCompression.standard();
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public boolean isWritable() {
      return false;
    }

    @Override
    public void markChunked(HttpHeaders headers) {}

    @Override
    public void addConnectionHeaders(HttpHeaders headers) {}

    @Override
    public ChannelFuture write(HttpObject part, int bytes) {
      return wire.write(part);
    }

    @Override
    public void writeLast(HttpObject part, int bytes) {
      wire.write(part);
    }

    @Override
    public void holdResponse(long bytes) {
      held += bytes;
    }

    @Override
    public void releaseResponse(long bytes) {
      held -= bytes;
    }

    @Override
    public void flush() {
      wire.flush();
    }

    @Override
    public void executeLater(Runnable task) {
      wire.eventLoop().execute(task);
    }

    @Override
    public void resumeResponse() {}

    @Override
    public void abortResponse() {}
  }

  @AfterEach
  void end() {
    client.wire.finishAndReleaseAll();
  }

  private BufferedResponseWriter writer(int length, @Nullable ContentCoding coding) {
    return new BufferedResponseWriter(
        client,
        HttpResponseStatus.OK,
        new DefaultHttpHeaders(),
        ResponseBody.of(List.of(ByteBuffer.allocate(length))),
        () -> released++,
        coding);
  }

  @ParameterizedTest
  @EnumSource(ContentCoding.class)
  void countsTheEncoderOfALongBody(ContentCoding coding) {
    BufferedResponseWriter writer = writer(LONG, coding);
    assertThat(client.held).as("before its turn").isEqualTo(LONG);
    writer.start();
    try (BodyEncoder same = coding.newEncoder(HttpCompression.standard())) {
      assertThat(client.held).isEqualTo(LONG + same.memoryBytes()).isGreaterThan(LONG);
    }
    writer.close(false);
    assertThat(client.held).isZero();
    assertThat(released).isOne();
  }

  @Test
  void countsNoEncoderThatHasDoneItsWork() {
    BufferedResponseWriter writer = writer(500_000, ContentCoding.ZSTD);
    writer.start();
    assertThat(client.held).isEqualTo(500_000);
    writer.close(true);
    assertThat(client.held).isZero();
  }

  @Test
  void countsTheBodyAloneWithoutACoding() {
    BufferedResponseWriter writer = writer(LONG, null);
    writer.start();
    assertThat(client.held).isEqualTo(LONG);
    writer.close(false);
    assertThat(client.held).isZero();
  }
}
