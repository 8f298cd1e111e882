package dev.weir.node.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.indices.breaker.HierarchyCircuitBreakerService;

/** Requests as the gateway writes them, and responses as it reads them. */
final class CompressedPayloadsTest {
  private static final String ACTION = "indices:data/write/bulk[s]";

  private final List<DecompressedBytes> compressed = new ArrayList<>();
  private final CircuitBreaker breaker = breaker("1gb");
  private final AtomicLong usedWhileReading = new AtomicLong();
  private final CompressedRequestReader<byte[]> reader = reader(true, breaker);

  private CompressedRequestReader<byte[]> reader(boolean canBreak, CircuitBreaker limit) {
    return new CompressedRequestReader<>(
        ACTION,
        in -> {
          usedWhileReading.set(limit.getUsed());
          return in.readByteArray();
        },
        canBreak,
        limit,
        compressed::add);
  }

  /** A node's circuit breaker for incoming requests, which counts each byte twice. */
  static CircuitBreaker breaker(String limit) {
    Settings limits =
        Settings.builder()
            .put("network.breaker.inflight_requests.limit", limit)
            .put("indices.breaker.total.use_real_memory", false)
            .put("indices.breaker.total.limit", "1gb")
            .build();
    return new HierarchyCircuitBreakerService(
            limits,
            List.of(),
            new ClusterSettings(limits, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS))
        .getBreaker(CircuitBreaker.IN_FLIGHT_REQUESTS);
  }

  private byte[] read(BytesReference payload) throws IOException {
    return read(reader, payload);
  }

  private static byte[] read(CompressedRequestReader<byte[]> reader, BytesReference payload)
      throws IOException {
    try (StreamInput in =
        new NamedWriteableAwareStreamInput(
            payload.streamInput(), new NamedWriteableRegistry(List.of()))) {
      byte[] read = reader.read(in);
      assertThat(in.read()).isEqualTo(-1);
      return read;
    }
  }

  private static byte[] plain(byte[] value) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeByteArray(value);
      return BytesReference.toBytes(out.bytes());
    }
  }

  private static BytesReference request(byte[] body, int size) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeInt(-1);
      out.writeBytes(body);
      out.writeInt(size);
      return out.bytes();
    }
  }

  private static byte[] text(int length) {
    byte[] text = new byte[length];
    Random random = new Random(length);
    for (int i = 0; i < length; i++) {
      text[i] = (byte) ('a' + random.nextInt(6));
    }
    return text;
  }

  @Test
  void readRequestsOfAllKinds() throws IOException {
    byte[] value = text(70_000);
    byte[] payload = plain(value);

    assertThat(read(new BytesArray(payload))).isEqualTo(value);
    assertThat(compressed).isEmpty();
    assertThat(read(request(payload, 0))).isEqualTo(value);
    assertThat(read(request(Zstd.compress(payload), payload.length))).isEqualTo(value);
    assertThat(compressed).hasSize(2);
  }

  /** One letter, for example, which zstd compresses almost without bound. */
  @Test
  void readRequestsThatRepeatOneByte() throws IOException {
    byte[] payload = plain(new byte[4 << 20]);
    byte[] frame = Zstd.compress(payload, 1);
    assertThat(frame).hasSizeLessThan(payload.length / 10_000);
    assertThat(read(request(frame, payload.length))).hasSize(4 << 20);
  }

  @Test
  void countWhatARequestTakesWhileItIsRead() throws IOException {
    byte[] payload = plain(new byte[100_000]);
    byte[] frame = Zstd.compress(payload);
    read(request(frame, payload.length));
    int added = payload.length - frame.length;
    assertThat(compressed).containsExactly(new DecompressedBytes(breaker, added));
    assertThat(usedWhileReading).hasValue(added);
    assertThat(breaker.getUsed()).isZero();
    read(request(payload, 0));
    assertThat(usedWhileReading).hasValue(0);
  }

  @Test
  void refuseRequestsThatTheNodeHasNoMemoryFor() throws IOException {
    CircuitBreaker small = breaker("1mb");
    byte[] payload = plain(new byte[2 << 20]);
    BytesReference request = request(Zstd.compress(payload), payload.length);
    assertThatThrownBy(() -> read(reader(true, small), request))
        .isInstanceOf(CircuitBreakingException.class)
        .hasMessageContaining("Data too large, data for [" + ACTION + "]");
    assertThat(small.getUsed()).isZero();
    assertThat(read(reader(false, small), request)).as("of a cancellation").hasSize(2 << 20);
    assertThat(usedWhileReading.get()).isGreaterThan(2_000_000);
    assertThat(small.getUsed()).isZero();
  }

  @Test
  void rejectBrokenRequests() throws IOException {
    byte[] payload = plain(text(5_000));
    byte[] frame = Zstd.compress(payload);

    for (int size : new int[] {-1, 1, payload.length - 1, payload.length + 1, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> read(request(frame, size))).isInstanceOf(IOException.class);
    }
    byte[] cut = Arrays.copyOf(frame, frame.length - 10);
    assertThatThrownBy(() -> read(request(cut, payload.length))).isInstanceOf(IOException.class);
    byte[] longer = Arrays.copyOf(payload, payload.length + 1);
    assertThatThrownBy(() -> read(request(Zstd.compress(longer), longer.length)))
        .hasMessage("got 1 bytes after a compressed request (expected: none)");
    assertThatThrownBy(() -> read(request(new byte[0], 1 << 20))).isInstanceOf(IOException.class);
    assertThat(breaker.getUsed()).isZero();
    // the contexts still work
    assertThat(read(request(frame, payload.length))).hasSize(5_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {2046, 2047, 3000, 65_534, 65_535, 65_536, 65_600, 131_072, 700_001})
  void writeResponses(int length) throws IOException {
    for (int round = 0; round < 2; round++) {
      byte[] value = text(length);
      byte[] payload = plain(value);
      WrittenResponse written;
      try (ResponseCompressor out = new ResponseCompressor()) {
        payload(value).forEach((from, part) -> write(out, part));
        assertThat(out.position()).isEqualTo(payload.length);
        written = out.finish();
      }
      assertThat(written.size()).isEqualTo(payload.length);
      byte[] bytes = sent(written);
      assertThat(bytes).hasSizeLessThan(1100 + length * 3 / 4);
      assertThat(Arrays.copyOf(bytes, 1024)).isEqualTo(Arrays.copyOf(payload, 1024));
      assertThat(
              Zstd.decompress(Arrays.copyOfRange(bytes, 1024, bytes.length), payload.length - 1024))
          .isEqualTo(Arrays.copyOfRange(payload, 1024, payload.length));
    }
  }

  /** A value as a node writes it, in uneven parts. */
  private static Map<Integer, byte[]> payload(byte[] value) throws IOException {
    byte[] all = plain(value);
    Map<Integer, byte[]> parts = new TreeMap<>();
    int step = 1;
    for (int from = 0; from < all.length; from += step) {
      step = Math.min(all.length - from, 1 + from % 40_000);
      parts.put(from, Arrays.copyOfRange(all, from, from + step));
    }
    return parts;
  }

  private static void write(ResponseCompressor out, byte[] part) {
    try {
      if (part.length == 1) {
        out.writeByte(part[0]);
      } else {
        out.writeBytes(part);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] sent(WrittenResponse written) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      written.writeTo(out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  @Test
  void leaveSmallResponsesAsTheyAre() throws IOException {
    byte[] value = text(2000);
    try (ResponseCompressor out = new ResponseCompressor()) {
      out.writeByteArray(value);
      WrittenResponse written = out.finish();
      assertThat(written.isCompressed()).isFalse();
      assertThat(sent(written)).isEqualTo(plain(value));
    }
  }

  /** A response that fails halfway must not end up in the next one. */
  @Test
  void forgetAnUnfinishedResponse() throws IOException {
    for (int round = 0; round < 20; round++) {
      try (ResponseCompressor out = new ResponseCompressor()) {
        out.writeBytes(text(100_000));
      }
    }
    writeResponses(200_000);
  }
}
