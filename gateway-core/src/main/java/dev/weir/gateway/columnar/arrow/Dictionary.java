package dev.weir.gateway.columnar.arrow;

import dev.weir.gateway.columnar.table.JsonBytes;
import dev.weir.gateway.parse.AnswerForm.Outputs;
import java.util.Arrays;
import org.apache.lucene.util.StringHelper;
import org.opensearch.core.common.bytes.BytesArray;

/** The different words of a column, numbered in the order in which they came. One thread's. */
final class Dictionary {
  private static final int FREE = -1;
  private static final int OFFSET = 4;

  private final JsonBytes texts = new JsonBytes(256);
  private int[] ends = new int[16];
  private int[] slots = new int[32];
  private int size;

  Dictionary() {
    Arrays.fill(slots, FREE);
  }

  /** The number of a word, which is new where it did not come before. */
  int number(byte[] word, int length) {
    int at = slot(word, 0, length);
    if (slots[at] != FREE) {
      return slots[at];
    }
    slots[at] = size;
    texts.write(word, 0, length);
    if (size == ends.length) {
      ends = Arrays.copyOf(ends, size * 2);
    }
    ends[size++] = texts.length();
    if (size * 2 > slots.length) {
      grow();
    }
    return size - 1;
  }

  /** Where a word is, or would be. */
  private int slot(byte[] word, int from, int length) {
    int hash =
        StringHelper.murmurhash3_x86_32(word, from, length, StringHelper.GOOD_FAST_HASH_SEED);
    int at = hash & (slots.length - 1);
    while (slots[at] != FREE && !is(slots[at], word, from, length)) {
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  private boolean is(int number, byte[] word, int from, int length) {
    return Arrays.equals(texts.bytes(), start(number), ends[number], word, from, from + length);
  }

  private int start(int number) {
    return number == 0 ? 0 : ends[number - 1];
  }

  private void grow() {
    slots = new int[slots.length * 2];
    Arrays.fill(slots, FREE);
    for (int i = 0; i < size; i++) {
      slots[slot(texts.bytes(), start(i), ends[i] - start(i))] = i;
    }
  }

  int size() {
    return size;
  }

  /** The words as a vector of texts. */
  Body body(Outputs outputs) {
    Buffer offsets = new Buffer(outputs);
    offsets.put(0, OFFSET);
    for (int i = 0; i < size; i++) {
      offsets.put(ends[i], OFFSET);
    }
    Buffer data = new Buffer(outputs);
    data.put(texts.bytes(), 0, texts.length());
    Body body = new Body();
    body.node(size, 0);
    body.buffer(BytesArray.EMPTY);
    body.buffer(offsets.bytes());
    body.buffer(data.bytes());
    return body;
  }
}
