package dev.weir.responses.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.slf4j.LoggerFactory;

/** Converts an export's position to text and back. */
class ExportCursorTest {
  private static final CursorSigner SIGNER = CursorSigner.of("a secret");
  private static final CursorSigner.Seal SEAL =
      ExportFixture.sealOf(SIGNER, "/logs/_weir/export", null);

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
  void takesNoMoreMemoryThanACursorHasBytes() throws IOException {
    byte[] small = ExportCursor.packPitId(PIT);
    byte[] large = ExportCursor.packPitId(Base64.getUrlEncoder().encodeToString(new byte[4 << 20]));
    for (List<byte[]> parts : List.of(List.of(large, small), List.of(small, large))) {
      try (BytesStreamOutput content = new BytesStreamOutput()) {
        content.writeVInt(2);
        content.writeByteArray(parts.get(0));
        content.writeByteArray(parts.get(1));
        String bomb = SEAL.seal(BytesReference.toBytes(content.bytes()));

        assertThatThrownBy(() -> ExportCursor.decode(bomb, SEAL))
            .isInstanceOf(IllegalArgumentException.class)
            .hasStackTraceContaining("got more than");
      }
    }
  }

  @Test
  void readsCursorsOfTheFirstVersion() throws IOException {
    ExportSlice.Position position = new ExportSlice.Position(3, new Object[] {12L}, 7);
    ExportCursor written = cursor(List.of(position));
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (BytesStreamOutput out = new BytesStreamOutput();
        DeflaterOutputStream deflating = new DeflaterOutputStream(packed)) {
      out.writeVInt(1);
      out.writeLong(written.requestHash());
      out.writeByteArray(Base64.getUrlDecoder().decode(PIT));
      out.writeBoolean(written.isPitOwned());
      out.writeVLong(written.startMillis());
      out.writeVLong(written.rowsSent());
      out.writeVInt(1);
      out.writeZLong(position.shard());
      CursorValueCodec.write(position.searchAfter(), out);
      out.writeZLong(position.end());
      out.bytes().writeTo(deflating);
    }
    assertAlike(ExportCursor.decode(SEAL.seal(packed.toByteArray()), SEAL), written);
  }

  @Test
  void packsThePointInTimeOnce() {
    ExportCursor written = cursor(List.of(new ExportSlice.Position(0, null, 7)));
    byte[] packed = ExportCursor.packPitId(PIT);

    assertThat(written.encode(SEAL, packed)).isEqualTo(written.encode(SEAL));
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void acceptOnlyCursorsOfTheSamePathClientAndSecret() {
    ExportCursor written = cursor(List.of());
    String path = "/logs/_weir/export";
    String text = written.encode(ExportFixture.sealOf(SIGNER, path, basic("alice:one")));
    ExportCursor.decode(text, ExportFixture.sealOf(SIGNER, path, basic("alice:changed")));
    ExportCursor.decode(
        text, ExportFixture.sealOf(CursorSigner.of("a secret"), path, basic("alice:one")));
    for (CursorSigner.Seal other :
        List.of(
            ExportFixture.sealOf(SIGNER, path, basic("bob:one")),
            ExportFixture.sealOf(SIGNER, path, null),
            ExportFixture.sealOf(SIGNER, path, "Bearer alice"),
            ExportFixture.sealOf(SIGNER, "/secret/_weir/export", basic("alice:one")))) {
      assertThatThrownBy(() -> ExportCursor.decode(text, other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("got a cursor of another export or client");
    }
  }

  @Test
  void tellUsersOfOneProxyApart() {
    ExportCursor written = cursor(List.of());
    String text = written.encode(sealOf(Map.of("x-proxy-user", List.of("alice"))));
    ExportCursor.decode(text, sealOf(Map.of("X-Proxy-User", List.of("alice"))));
    for (Map<String, List<String>> other :
        List.of(
            Map.<String, List<String>>of(),
            Map.of("x-proxy-user", List.of("bob")),
            Map.of("x-proxy-user", List.of("alice"), "x-proxy-roles", List.of("admin")),
            Map.of("x-sso-user", List.of("alice")),
            Map.of("opendistro_security_impersonate_as", List.of("alice")))) {
      assertThatThrownBy(() -> ExportCursor.decode(text, sealOf(other)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("got a cursor of another export or client");
    }
    String configured = written.encode(sealOf(Map.of("X-SSO-User", List.of("alice"))));
    assertThatThrownBy(
            () -> ExportCursor.decode(configured, sealOf(Map.of("X-SSO-User", List.of("bob")))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static CursorSigner.Seal sealOf(Map<String, List<String>> headers) {
    return SIGNER.sealOf("/logs/_weir/export", headers, List.of("x-sso-user"));
  }

  /** Behind a balancer a client continues on any gateway; the error says what they need. */
  @Test
  void nameTheKeyThatGatewaysMustShare() {
    String path = "/logs/_weir/export";
    String text = cursor(List.of()).encode(SEAL);
    assertThatThrownBy(() ->
            ExportCursor.decode(
                text, ExportFixture.sealOf(CursorSigner.of("another secret"), path, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "got a cursor that was signed with another responses.export.cursor-secret")
        .hasMessageContaining("start the export again");
    String random = cursor(List.of()).encode(ExportFixture.sealOf(CursorSigner.of(""), path, null));
    assertThatThrownBy(() ->
            ExportCursor.decode(random, ExportFixture.sealOf(CursorSigner.of(""), path, null)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "got a cursor of another gateway or cluster, or from before a restart (expected: a"
                + " cursor of this gateway, or the same responses.export.cursor-secret on all"
                + " gateways");
  }

  @Test
  void warnOnceOfCursorsOfOtherGateways() {
    String text = cursor(List.of()).encode(SEAL);
    CursorSigner other = CursorSigner.of("");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger logger = (Logger) LoggerFactory.getLogger(CursorSigner.class);
    logger.addAppender(lines);
    try {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> ExportCursor.decode(text, ExportFixture.sealOf(other, "/a", null)))
            .isInstanceOf(IllegalArgumentException.class);
      }
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("cursor-secret");
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
