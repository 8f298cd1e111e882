package dev.weir.core.reduce.columns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.opensearch.core.common.io.stream.StreamInput;

/** Words by number, as UTF-8 in one array. Immutable. */
public final class Words {
  private final byte[] utf8;

  /** The start of each word, and the end of the last one. */
  private final int[] starts;

  private Words(byte[] utf8, int[] starts) {
    this.utf8 = utf8;
    this.starts = starts;
  }

  /** Reads words: their number as a vint, then each as a vint with its length and its bytes. */
  static Words read(StreamInput in) throws IOException {
    int count = ShardColumns.readCount(in, 1);
    int[] starts = new int[count + 1];
    byte[] utf8 = new byte[Math.min(in.available(), 16 * count)];
    for (int i = 0; i < count; i++) {
      int length = ShardColumns.readCount(in, 1);
      int end = starts[i] + length;
      if (end > utf8.length) {
        utf8 = Arrays.copyOf(utf8, Math.max(end, 2 * utf8.length));
      }
      in.readBytes(utf8, starts[i], length);
      starts[i + 1] = end;
    }
    return new Words(utf8, starts);
  }

  /** Returns the number of words. */
  public int count() {
    return starts.length - 1;
  }

  /** Returns the array with all words. */
  public byte[] utf8() {
    return utf8;
  }

  /** Returns the position of a word in {@link #utf8}. */
  public int start(int number) {
    return starts[number];
  }

  /** Returns the length of a word in bytes. */
  public int length(int number) {
    return starts[number + 1] - starts[number];
  }

  /** Returns a word. */
  public String word(int number) {
    return new String(utf8, start(number), length(number), StandardCharsets.UTF_8);
  }
}
