package dev.weir.responses.columnar.arrow;

import dev.weir.model.JsonBuffer;
import dev.weir.model.PackedBytes;
import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.util.Arrays;
import org.opensearch.core.common.bytes.BytesArray;

/** The distinct words of a column, numbered in order of appearance. Used by one thread. */
final class WordDictionary {
  private static final int EMPTY_SLOT = -1;
  private static final int OFFSET_WIDTH = 4;

  private final JsonBuffer words = new JsonBuffer(256);

  /** The start offset of each word, which is the end of the previous one. */
  private int[] offsets = new int[16];

  private int[] slots = new int[32];
  private int size;
  private int lastNumber;

  WordDictionary() {
    Arrays.fill(slots, EMPTY_SLOT);
  }

  /** Returns the number of a word; a new word gets the next number. */
  int numberOf(byte[] text, int from, int length) {
    if (size == 0 || !isWordAt(lastNumber, text, from, length)) {
      int at = findSlot(text, from, length);
      lastNumber = slots[at] == EMPTY_SLOT ? add(at, text, from, length) : slots[at];
    }
    return lastNumber;
  }

  private int add(int slot, byte[] text, int from, int length) {
    int number = size++;
    slots[slot] = number;
    words.write(text, from, length);
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, size * 2);
    }
    offsets[size] = words.length();
    if (size * 2 > slots.length) {
      grow();
    }
    return number;
  }

  /** Returns the slot of a word, or the free slot for it. */
  private int findSlot(byte[] text, int from, int length) {
    int at = (int) TextHash.hash(text, from, length) & (slots.length - 1);
    while (slots[at] != EMPTY_SLOT && !isWordAt(slots[at], text, from, length)) {
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }

  private boolean isWordAt(int number, byte[] text, int from, int length) {
    int start = offsets[number];
    return offsets[number + 1] - start == length
        && PackedBytes.isEqual(words.bytes(), start, text, from, length);
  }

  private void grow() {
    slots = new int[slots.length * 2];
    Arrays.fill(slots, EMPTY_SLOT);
    for (int i = 0; i < size; i++) {
      slots[findSlot(words.bytes(), offsets[i], offsets[i + 1] - offsets[i])] = i;
    }
  }

  int size() {
    return size;
  }

  /** Returns the words as a text vector. */
  RecordBatchBody toBody(OutputFactory outputs) {
    BufferedBytesWriter offsets =
        new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    for (int i = 0; i <= size; i++) {
      offsets.put(this.offsets[i], OFFSET_WIDTH);
    }
    BufferedBytesWriter data =
        new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY));
    data.put(words.bytes(), 0, words.length());
    RecordBatchBody body = new RecordBatchBody();
    body.addNode(size, 0);
    body.addBuffer(BytesArray.EMPTY);
    body.addBuffer(offsets.bytes());
    body.addBuffer(data.bytes());
    return body;
  }
}
