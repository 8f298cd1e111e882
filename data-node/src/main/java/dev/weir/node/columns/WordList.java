package dev.weir.node.columns;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Distinct words with numbers from 0. On the wire: their number as a vint, then each as a vint with
 * the length of its UTF-8 and these bytes. Used by one thread.
 */
final class WordList {
  private final List<String> words = new ArrayList<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  /** Returns the number of a word, a new one if it was not seen before. */
  int numberOf(String word) {
    Integer known = numbers.putIfAbsent(word, words.size());
    if (known != null) {
      return known;
    }
    words.add(word);
    return words.size() - 1;
  }

  void writeTo(StreamOutput out) throws IOException {
    write(words, out);
  }

  /** Writes words that may repeat. */
  static void write(List<String> words, StreamOutput out) throws IOException {
    out.writeVInt(words.size());
    for (String word : words) {
      out.writeBytesRef(new BytesRef(word));
    }
  }
}
