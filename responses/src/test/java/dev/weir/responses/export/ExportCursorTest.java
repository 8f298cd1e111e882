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
  private static final CursorSigner SIGNER = CursorSigner.of("a secret");
  private static final CursorSigner.Seal SEAL = SIGNER.sealOf("/logs/_weir/export", null);

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

    assertAlike(ExportCursor.decode(written.encode(SEAL), SEAL), written);
    assertThat(written.encode(SEAL)).matches("[A-Za-z0-9_-]+");
  }

  @Test
  void rememberTheSortValuesOfTheLastRow() {
    Object[] sort = {"w\"ö", 1.5, 2.5f, null, true, 1L << 40, 7};
    ExportCursor written =
        cursor(
            List.of(new ExportSlice.Position(ExportSlice.ALL_SHARDS, sort, ExportSlice.UNBOUNDED)));

    assertAlike(ExportCursor.decode(written.encode(SEAL), SEAL), written);
  }

  @Test
  void anythingElseIsRefused() {
    String whole =
        cursor(List.of(new ExportSlice.Position(0, new Object[] {1L}, ExportSlice.UNBOUNDED)))
            .encode(SEAL);
    List<String> others = new ArrayList<>(List.of("", "!", "abc", whole + "AAAA"));
    for (int end = 0; end < whole.length() - 6; end += 7) {
      others.add(whole.substring(0, end));
    }
    for (String other : others) {
      assertThatThrownBy(() -> ExportCursor.decode(other, SEAL))
          .as(other)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("got a cursor ");
    }
    ExportSlice.Position none =
        new ExportSlice.Position(0, new Object[] {"x"}, ExportSlice.UNBOUNDED);
    assertThatThrownBy(() -> ExportCursor.decode(cursor(List.of(none)).encode(SEAL), SEAL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noiseIsRefused() {
    Random random = new Random(7);
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertThatThrownBy(() -> ExportCursor.decode(text, SEAL))
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
    String bomb = SEAL.seal(packed.toByteArray());

    assertThatThrownBy(() -> ExportCursor.decode(bomb, SEAL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void acceptOnlyCursorsOfTheSamePathClientAndSecret() {
    ExportCursor written = cursor(List.of());
    String path = "/logs/_weir/export";
    String text = written.encode(SIGNER.sealOf(path, basic("alice:one")));
    ExportCursor.decode(text, SIGNER.sealOf(path, basic("alice:changed")));
    ExportCursor.decode(text, CursorSigner.of("a secret").sealOf(path, basic("alice:one")));
    for (CursorSigner.Seal other :
        List.of(
            SIGNER.sealOf(path, basic("bob:one")),
            SIGNER.sealOf(path, null),
            SIGNER.sealOf(path, "Bearer alice"),
            SIGNER.sealOf("/secret/_weir/export", basic("alice:one")),
            CursorSigner.of("another secret").sealOf(path, basic("alice:one")),
            CursorSigner.of("").sealOf(path, basic("alice:one")))) {
      assertThatThrownBy(() -> ExportCursor.decode(text, other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("got a cursor of another export");
    }
  }

  @Test
  void rejectEveryChangedBit() {
    byte[] sealed = Base64.getUrlDecoder().decode(cursor(List.of()).encode(SEAL));
    for (int bit = 0; bit < sealed.length * 8; bit++) {
      byte[] changed = sealed.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
      assertThatThrownBy(() -> ExportCursor.decode(text, SEAL))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
