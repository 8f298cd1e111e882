package dev.weir.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

class FrameDecoderTest {
  private static final int LIMIT = 1 << 20;
  private static final byte[] PING = {'E', 'S', -1, -1, -1, -1};

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] fewFrames() {
    return concat(
        NodeFrames.response(1, out -> out.writeString("first")),
        PING,
        NodeFrames.response(2, out -> {}),
        NodeFrames.response(
            7, out -> out.writeLong(42), Map.of("Warning", List.of("a", "b")), Marks.PLAIN),
        head(17, 9, 1, 0));
  }

  private static byte[] head(int length, long id, int status, int variableLength) {
    return ByteBuffer.allocate(FrameLayout.HEADER_BYTES)
        .put((byte) 'E')
        .put((byte) 'S')
        .putInt(length)
        .putLong(id)
        .put((byte) status)
        .putInt(Version.CURRENT.id)
        .putInt(variableLength)
        .array();
  }

  private static List<String> decodeWhole(byte[] bytes, Set<Long> skipped) throws IOException {
    try (DecodedFrames decoded = new DecodedFrames(LIMIT, skipped)) {
      decoded.feed(bytes, 0, bytes.length);
      assertThat(decoded.heldMemory()).isZero();
      return decoded.seen;
    }
  }

  @Test
  void decodeANodesFrames() throws IOException {
    byte[] bytes =
        NodeFrames.response(
            0x0102030405060708L, out -> out.writeString("hi"), Map.of(), Marks.PLAIN);
    String content = HexFormat.of().formatHex(bytes, FrameLayout.HEADER_BYTES, bytes.length);
    int variable = bytes.length - FrameLayout.HEADER_BYTES - 3;

    assertThat(decodeWhole(bytes, Set.of()))
        .containsExactly(
            "72623859790382856 1 "
                + Version.CURRENT.id
                + " "
                + variable
                + " "
                + bytes.length
                + " "
                + content);
    assertThat(content).endsWith("026869");
  }

  @Test
  void readsTheSameAtEverySplitInThree() throws IOException {
    byte[] bytes = fewFrames();
    for (Set<Long> skipped : List.of(Set.<Long>of(), Set.of(2L), Set.of(1L, 7L, 9L))) {
      List<String> expected = decodeWhole(bytes, skipped);
      assertThat(expected).as("without the ping").hasSize(4);
      for (int first = 0; first <= bytes.length; first++) {
        for (int second = first; second <= bytes.length; second++) {
          try (DecodedFrames decoded = new DecodedFrames(LIMIT, skipped)) {
            decoded.feed(bytes, 0, first);
            decoded.feed(bytes, first, second);
            decoded.feed(bytes, second, bytes.length);
            assertThat(decoded.seen).isEqualTo(expected);
            assertThat(decoded.heldMemory()).isZero();
            assertThat(decoded.held.frames()).isZero();
          }
        }
      }
    }
  }

  @Test
  void readsTheSameByteByByte() throws IOException {
    byte[] bytes = fewFrames();
    try (DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of())) {
      for (int i = 0; i < bytes.length; i++) {
        decoded.feed(bytes, i, i + 1);
      }
      assertThat(decoded.seen).isEqualTo(decodeWhole(bytes, Set.of()));
    }
  }

  @Test
  void readsTheSameAtRandomSplitsOfRandomFrames() throws IOException {
    SplittableRandom random = new SplittableRandom(20261121);
    for (int round = 0; round < 200; round++) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (int frame = random.nextInt(1, 8); frame > 0; frame--) {
        byte[] payload = new byte[random.nextInt(3) == 0 ? random.nextInt(70_000) : 40];
        random.nextBytes(payload);
        all.writeBytes(NodeFrames.response(random.nextInt(4), out -> out.writeBytes(payload)));
        if (random.nextInt(4) == 0) {
          all.writeBytes(PING);
        }
      }
      byte[] bytes = all.toByteArray();
      Set<Long> skipped = random.nextBoolean() ? Set.of(1L) : Set.of();
      try (DecodedFrames decoded = new DecodedFrames(LIMIT, skipped)) {
        int most = random.nextBoolean() ? 100 : 20_000;
        for (int from = 0; from < bytes.length; ) {
          int to = Math.min(bytes.length, from + random.nextInt(1, most));
          decoded.feed(bytes, from, to);
          from = to;
        }
        assertThat(decoded.seen).isEqualTo(decodeWhole(bytes, skipped));
        assertThat(decoded.heldMemory()).isZero();
      }
    }
  }

  @Test
  void takesAFrameAtTheLimitAndSkipsThoseBeyond() throws IOException {
    byte[] largest = NodeFrames.response(3, out -> out.writeBytes(new byte[100]));
    try (DecodedFrames decoded = new DecodedFrames(largest.length, Set.of())) {
      decoded.feed(largest, 0, largest.length);
      assertThat(decoded.seen).hasSize(1);
    }
    try (DecodedFrames decoded = new DecodedFrames(largest.length - 1, Set.of())) {
      byte[] small = NodeFrames.response(4, out -> out.writeBytes(new byte[9]));
      decoded.feed(largest, 0, largest.length);
      decoded.feed(small, 0, small.length);
      assertThat(decoded.seen).hasSize(2).first().isEqualTo("too long 3");
      assertThat(decoded.seen.getLast()).startsWith("4 ");
      assertThat(decoded.heldMemory()).isZero();
    }
  }

  @Test
  void takesNoMemoryForAFrameOverTheLimit() throws IOException {
    try (DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of())) {
      decoded.feed(head(Integer.MAX_VALUE, 1, 1, 0), 0, FrameLayout.HEADER_BYTES);
      assertThat(decoded.seen).containsExactly("too long 1");
      assertThat(decoded.heldMemory()).isZero();
    }
  }

  @Test
  void refusesImpossibleLengths() {
    for (int length : new int[] {0, 1, 16, -2, Integer.MIN_VALUE}) {
      try (DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of())) {
        assertThatThrownBy(() -> decoded.feed(head(length, 1, 1, 0), 0, FrameLayout.PREFIX_BYTES))
            .hasMessage(
                "frame of an impossible length: got %d (expected: -1 or at least 17)", length);
      }
    }
    for (int variable : new int[] {-1, 4, Integer.MAX_VALUE}) {
      try (DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of())) {
        assertThatThrownBy(
                () -> decoded.feed(head(20, 1, 1, variable), 0, FrameLayout.HEADER_BYTES))
            .hasMessage(
                "variable header beyond its frame: got %d bytes (expected: 0 to 3)", variable);
      }
    }
  }

  @Test
  void describeANonTransportPeer() {
    refuses("HTTP/1.1 400 Bad Request\r\n".getBytes(UTF_8), "which is HTTP");
    refuses(new byte[] {0x15, 3, 3, 0, 2, 2, 80, 0, 0, 0, 0, 0, 0}, "which is TLS");
    refuses("\u00de\u00ad\u00be\u00ef and more".getBytes(ISO_8859_1), "got bytes deadbeef (exp");
  }

  private static void refuses(byte[] bytes, String why) {
    for (int first = 0; first < FrameLayout.PREFIX_BYTES; first++) {
      int split = first;
      try (DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of())) {
        assertThatThrownBy(
                () -> {
                  decoded.feed(bytes, 0, split);
                  decoded.feed(bytes, split, bytes.length);
                })
            .isInstanceOf(StreamCorruptedException.class)
            .hasMessageContaining(why);
      }
    }
  }

  @Test
  void givesBackAHalfReadFrame() throws IOException {
    byte[] bytes = NodeFrames.response(1, out -> out.writeBytes(new byte[1000]));
    DecodedFrames decoded = new DecodedFrames(LIMIT, Set.of());
    decoded.feed(bytes, 0, 500);
    assertThat(decoded.heldMemory()).isPositive();
    assertThat(decoded.held.frames()).isEqualTo(1);

    decoded.close();

    assertThat(decoded.heldMemory()).isZero();
    assertThat(decoded.held.frames()).isZero();
    assertThat(decoded.held.bytes()).isZero();
  }
}
