package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Longs;
import dev.weir.rest.AnswerForm.Outputs;
import java.util.Arrays;
import org.opensearch.core.common.bytes.BytesArray;

/** The different words of a column, numbered in the order in which they came. One thread's. */
final class Dictionary {
  private static final int FREE = -1;
  private static final int OFFSET = 4;

  private final JsonBytes texts = new JsonBytes(256);

  /** Where the word of a number begins, and the one before it ends. */
  private int[] starts = new int[16];

  private int[] slots = new int[32];
  private int size;
  private int last;

  Dictionary() {
    Arrays.fill(slots, FREE);
  }

  /** The number of a word, which is new where it did not come before. */
  int number(byte[] text, int from, int length) {
    if (size == 0 || !is(last, text, from, length)) {
      int at = slot(text, from, length);
      last = slots[at] == FREE ? add(at, text, from, length) : slots[at];
    }
    return last;
  }

  private int add(int slot, byte[] text, int from, int length) {
    int number = size++;
    slots[slot] = number;
    texts.write(text, from, length);
    if (size == starts.length) {
      starts = Arrays.copyOf(starts, size * 2);
    }
    starts[size] = texts.length();
    if (size * 2 > slots.length) {
      grow();
    }
    return number;
  }

  /** Where a word is, or would be. */
  private int slot(byte[] text, int from, int length) {
    int at = (int) WordHash.of(text, from, length) & (slots.length - 1);
    while (slots[at] != FREE && !is(slots[at], text, from, length)) {
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  private boolean is(int number, byte[] text, int from, int length) {
    int start = starts[number];
    return starts[number + 1] - start == length
        && Longs.equal(texts.bytes(), start, text, from, length);
  }

  private void grow() {
    slots = new int[slots.length * 2];
    Arrays.fill(slots, FREE);
    for (int i = 0; i < size; i++) {
      slots[slot(texts.bytes(), starts[i], starts[i + 1] - starts[i])] = i;
    }
  }

  int size() {
    return size;
  }

  /** The words as a vector of texts. */
  Body body(Outputs outputs) {
    Buffer offsets = new Buffer(outputs.open(Buffer.ROOM));
    for (int i = 0; i <= size; i++) {
      offsets.put(starts[i], OFFSET);
    }
    Buffer data = new Buffer(outputs.open(Buffer.ROOM));
    data.put(texts.bytes(), 0, texts.length());
    Body body = new Body();
    body.node(size, 0);
    body.buffer(BytesArray.EMPTY);
    body.buffer(offsets.bytes());
    body.buffer(data.bytes());
    return body;
  }
}
