package dev.weir.responses.columnar.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Equal words have the same number. */
class WordDictionaryTest {
  private final WordDictionary words = new WordDictionary();

  private int number(String word) {
    byte[] text = ("#" + word + "#").getBytes(StandardCharsets.UTF_8);
    return words.numberOf(text, 1, text.length - 2);
  }

  @Test
  void numbersWordsThatChangeBackAndForth() {
    for (int i = 0; i < 10; i++) {
      assertThat(number("")).isZero();
      assertThat(number("")).isZero();
      assertThat(number("web-017.example.org")).isEqualTo(1);
      assertThat(number("web-018.example.org")).isEqualTo(2);
      assertThat(number("web-018.example.org")).isEqualTo(2);
      assertThat(number("web-017.example.orh")).isEqualTo(3);
      assertThat(number("web-017.example.or")).isEqualTo(4);
      assertThat(number("\0")).isEqualTo(5);
      assertThat(number("\0\0")).isEqualTo(6);
    }
    assertThat(words.size()).isEqualTo(7);
  }

  @Test
  void numbersManyWordsInTheOrderInWhichTheyCame() {
    Random random = new Random(9);
    Map<String, Integer> expected = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      String word = Integer.toString(random.nextInt(6000), 2 + random.nextInt(2));
      int number = expected.computeIfAbsent(word, unseen -> expected.size());
      assertThat(number(word)).as(word).isEqualTo(number);
    }
    assertThat(words.size()).isEqualTo(expected.size());
  }

  /** Texts of the same length that differ in two bits, and zeros of each length. */
  @Test
  void spreadSimilarKeysOverTheTable() {
    List<byte[]> texts = new ArrayList<>();
    for (int length = 0; length < 40; length++) {
      texts.add(new byte[length]);
      for (int bit = 0; bit < length * 8; bit++) {
        byte[] one = new byte[length];
        one[bit / 8] |= (byte) (1 << bit % 8);
        texts.add(one);
      }
    }
    Set<Integer> low = new HashSet<>();
    for (byte[] text : texts) {
      low.add((int) TextHash.hash(text, 0, text.length) & 0xffff);
    }
    assertThat(low.size()).isGreaterThan(texts.size() * 3 / 4);
  }
}
