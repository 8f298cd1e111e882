package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

/** Where an export can be gone on with, as text and back. */
class CursorTest {
  private static final String PIT =
      Base64.getUrlEncoder()
          .encodeToString("a point in time of some shards".getBytes(StandardCharsets.UTF_8));

  private static Cursor cursor(List<Slice.Position> left) {
    return new Cursor(-5, PIT, true, 1_795_132_800_000L, 12_345, left);
  }

  private static void assertAlike(Cursor read, Cursor written) {
    assertThat(read.belongs()).isEqualTo(written.belongs());
    assertThat(read.pit()).isEqualTo(written.pit());
    assertThat(read.own()).isEqualTo(written.own());
    assertThat(read.startMillis()).isEqualTo(written.startMillis());
    assertThat(read.rows()).isEqualTo(written.rows());
    assertThat(read.left()).hasSameSizeAs(written.left());
    for (int i = 0; i < read.left().size(); i++) {
      Slice.Position one = read.left().get(i);
      Slice.Position other = written.left().get(i);
      assertThat(one.shard()).isEqualTo(other.shard());
      assertThat(one.end()).isEqualTo(other.end());
      assertThat(Arrays.equals(one.after(), other.after())).isTrue();
    }
  }

  @Test
  void tellsWhereEachSliceIs() {
    Cursor written =
        cursor(
            List.of(
                new Slice.Position(0, new Object[] {99_999L}, Slice.OPEN),
                new Slice.Position(3, null, 7_000_000_000L),
                new Slice.Position(3, new Object[] {12}, Slice.OPEN)));

    assertAlike(Cursor.decode(written.encode()), written);
    assertThat(written.encode()).matches("[A-Za-z0-9_-]+");
  }

  @Test
  void tellsWhatTheLastRowWasSortedBy() {
    Object[] sort = {"w\"ö", 1.5, 2.5f, null, true, 1L << 40, 7};
    Cursor written = cursor(List.of(new Slice.Position(Slice.ALL, sort, Slice.OPEN)));

    assertAlike(Cursor.decode(written.encode()), written);
  }

  @Test
  void anythingElseIsRefused() {
    String whole = cursor(List.of(new Slice.Position(0, new Object[] {1L}, Slice.OPEN))).encode();
    List<String> others = new ArrayList<>(List.of("", "!", "abc", whole + "AAAA"));
    for (int end = 0; end < whole.length() - 6; end += 7) {
      others.add(whole.substring(0, end));
    }
    for (String other : others) {
      if (!other.equals(whole + "AAAA")) { // what follows a packed stream is not looked at
        assertThatThrownBy(() -> Cursor.decode(other))
            .as(other)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("got a cursor that can't be read");
      }
    }
    Slice.Position none = new Slice.Position(0, new Object[] {"x"}, Slice.OPEN);
    assertThatThrownBy(() -> Cursor.decode(cursor(List.of(none)).encode()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noiseIsRefused() {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertThatThrownBy(() -> Cursor.decode(text)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void takesNoMoreMemoryThanACursorHasBytes() {
    byte[] zeros = new byte[4 << 20];
    Arrays.fill(zeros, (byte) 0x7F);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DeflaterOutputStream deflating = new DeflaterOutputStream(packed)) {
      deflating.write(1);
      deflating.write(zeros);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String bomb = Base64.getUrlEncoder().withoutPadding().encodeToString(packed.toByteArray());

    assertThatThrownBy(() -> Cursor.decode(bomb)).isInstanceOf(IllegalArgumentException.class);
  }
}
