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

/** Converts an export's position to text and back. */
class ExportCursorTest {
  private static final String PIT =
      Base64.getUrlEncoder()
          .encodeToString("a point in time of some shards".getBytes(StandardCharsets.UTF_8));

  private static ExportCursor cursor(List<ExportSlice.Position> left) {
    return new ExportCursor(-5, PIT, true, 1_795_132_800_000L, 12_345, left);
  }

  private static void assertAlike(ExportCursor read, ExportCursor written) {
    assertThat(read.requestHash()).isEqualTo(written.requestHash());
    assertThat(read.pitId()).isEqualTo(written.pitId());
    assertThat(read.isPitOwned()).isEqualTo(written.isPitOwned());
    assertThat(read.startMillis()).isEqualTo(written.startMillis());
    assertThat(read.rowsSent()).isEqualTo(written.rowsSent());
    assertThat(read.positions()).hasSameSizeAs(written.positions());
    for (int i = 0; i < read.positions().size(); i++) {
      ExportSlice.Position one = read.positions().get(i);
      ExportSlice.Position other = written.positions().get(i);
      assertThat(one.shard()).isEqualTo(other.shard());
      assertThat(one.end()).isEqualTo(other.end());
      assertThat(Arrays.equals(one.searchAfter(), other.searchAfter())).isTrue();
    }
  }

  @Test
  void tellsWhereEachSliceIs() {
    ExportCursor written =
        cursor(
            List.of(
                new ExportSlice.Position(0, new Object[] {99_999L}, ExportSlice.UNBOUNDED),
                new ExportSlice.Position(3, null, 7_000_000_000L),
                new ExportSlice.Position(3, new Object[] {12}, ExportSlice.UNBOUNDED)));

    assertAlike(ExportCursor.decode(written.encode()), written);
    assertThat(written.encode()).matches("[A-Za-z0-9_-]+");
  }

  @Test
  void rememberTheSortValuesOfTheLastRow() {
    Object[] sort = {"w\"ö", 1.5, 2.5f, null, true, 1L << 40, 7};
    ExportCursor written =
        cursor(
            List.of(new ExportSlice.Position(ExportSlice.ALL_SHARDS, sort, ExportSlice.UNBOUNDED)));

    assertAlike(ExportCursor.decode(written.encode()), written);
  }

  @Test
  void anythingElseIsRefused() {
    String whole =
        cursor(List.of(new ExportSlice.Position(0, new Object[] {1L}, ExportSlice.UNBOUNDED)))
            .encode();
    List<String> others = new ArrayList<>(List.of("", "!", "abc", whole + "AAAA"));
    for (int end = 0; end < whole.length() - 6; end += 7) {
      others.add(whole.substring(0, end));
    }
    for (String other : others) {
      if (!other.equals(whole + "AAAA")) { // what follows a packed stream is not looked at
        assertThatThrownBy(() -> ExportCursor.decode(other))
            .as(other)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("got a cursor that can't be read");
      }
    }
    ExportSlice.Position none =
        new ExportSlice.Position(0, new Object[] {"x"}, ExportSlice.UNBOUNDED);
    assertThatThrownBy(() -> ExportCursor.decode(cursor(List.of(none)).encode()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noiseIsRefused() {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertThatThrownBy(() -> ExportCursor.decode(text))
          .isInstanceOf(IllegalArgumentException.class);
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

    assertThatThrownBy(() -> ExportCursor.decode(bomb))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
