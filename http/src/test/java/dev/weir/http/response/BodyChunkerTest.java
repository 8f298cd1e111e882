package dev.weir.http.response;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ResponseBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BodyChunkerTest {

  /** Cuts bytes into various kinds of slices. */
  static List<ByteBuffer> cut(byte[] bytes, Random random) {
    List<ByteBuffer> slices = new ArrayList<>();
    for (int from = 0; from < bytes.length; ) {
      int most = random.nextInt(4) == 0 ? 100_000 : 300;
      int size = Math.min(bytes.length - from, random.nextInt(most));
      switch (random.nextInt(4)) {
        case 0 -> slices.add(ByteBuffer.wrap(bytes, from, size));
        case 1 -> slices.add(ByteBuffer.wrap(bytes, from, size).slice().asReadOnlyBuffer());
        case 2 ->
            slices.add(ByteBuffer.allocateDirect(size + 3).put(3, bytes, from, size).position(3));
        default ->
            slices.add(
                ByteBuffer.allocateDirect(size).put(0, bytes, from, size).asReadOnlyBuffer());
      }
      from += size;
    }
    return slices;
  }

  /** Creates one body of all slices, or several bodies of some of them. */
  private static ResponseBody joined(List<ByteBuffer> slices, Random random) {
    int at = random.nextInt(slices.size() + 1);
    return random.nextBoolean()
        ? ResponseBody.of(slices)
        : ResponseBody.of(
            ResponseBody.of(slices.subList(0, at)),
            ResponseBody.EMPTY,
            ResponseBody.of(slices.subList(at, slices.size())));
  }

  @Test
  void cutsAnySlicesIntoPiecesOfAllTheirBytes() throws IOException {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    Random random = new Random(23);
    for (int round = 0; round < 100; round++) {
      byte[] bytes = new byte[1 + random.nextInt(600_000)];
      random.nextBytes(bytes);
      List<ByteBuffer> slices = cut(bytes, random);
      BodyChunker pieces = new BodyChunker(joined(slices, random), allocator);
      assertThat(pieces.remaining()).isEqualTo(bytes.length);
      ByteArrayOutputStream got = new ByteArrayOutputStream();
      while (pieces.remaining() > 0) {
        ByteBuf piece = pieces.next();
        assertThat(piece.readableBytes()).isBetween(1, BodyChunker.CHUNK_SIZE);
        assertThat(piece.isDirect()).isTrue();
        piece.readBytes(got, piece.readableBytes());
        piece.release();
      }
      assertThat(got.toByteArray()).isEqualTo(bytes);
      assertThat(slices.stream().mapToInt(ByteBuffer::remaining).sum())
          .as("slices left as they were")
          .isEqualTo(bytes.length);
    }
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }
}
