package dev.weir.protocol.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ZstdCompressorTest {
  private static final byte[] PAYLOAD =
      new Random(7)
          .ints(40_000, 0, 500)
          .mapToObj(word -> "word-" + word + " ")
          .collect(Collectors.joining())
          .getBytes(StandardCharsets.UTF_8);

  private static byte[] compress(ZstdCompressor zstd) {
    ByteBuffer out = ByteBuffer.allocateDirect(PAYLOAD.length + 1024);
    zstd.setInput(PAYLOAD, 0, PAYLOAD.length);
    compressInto(out, zstd);
    zstd.finish();
    compressInto(out, zstd);
    zstd.reset();
    byte[] bytes = new byte[out.flip().remaining()];
    out.get(bytes);
    return bytes;
  }

  private static void compressInto(ByteBuffer out, ZstdCompressor zstd) {
    do {
      zstd.compress(out);
    } while (!zstd.isDone());
  }

  @Test
  void keepTheParametersAfterAPayloadThatDidNotEnd() {
    try (ZstdCompressor fresh = new ZstdCompressor();
        ZstdCompressor used = new ZstdCompressor()) {
      used.setInput(PAYLOAD, 0, PAYLOAD.length);
      used.compress(ByteBuffer.allocateDirect(PAYLOAD.length));
      used.reset();

      assertThat(compress(used)).isEqualTo(compress(fresh));
    }
  }
}
