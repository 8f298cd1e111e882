package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

class HeaderEncoderTest {
  private final HeaderEncoder encoder = new HeaderEncoder();

  private Map<String, String> writeAndRead(Map<String, String> headers) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    encoder.write(headers, out);
    StreamInput in = out.bytes().streamInput();
    Map<String, String> read = in.readMap(StreamInput::readString, StreamInput::readString);
    assertThat(in.available()).isZero();
    return read;
  }

  @Test
  void writeEachRequestsOwnHeaders() throws IOException {
    Map<String, String> ada = Map.of("user", "ada", "X-Opaque-Id", "é\uD83D\uDE00");
    Map<String, String> bob = Map.of("user", "bob");
    for (Map<String, String> headers :
        List.of(ada, ada, bob, Map.<String, String>of(), bob, ada, new HashMap<>(ada), bob)) {
      assertThat(writeAndRead(headers)).isEqualTo(headers);
    }
  }

  @Test
  void writeOneMoreHeader() throws IOException {
    byte[] further = HeaderEncoder.encode("weir-load", "id1");
    for (Map<String, String> headers :
        List.of(
            Map.of("user", "ada"), Map.<String, String>of(), Map.of("user", "x".repeat(9000)))) {
      Map<String, String> both = new HashMap<>(headers);
      both.put("weir-load", "id1");
      BytesStreamOutput out = new BytesStreamOutput();
      encoder.write(headers, further, out);
      StreamInput in = out.bytes().streamInput();
      assertThat(in.readMap(StreamInput::readString, StreamInput::readString)).isEqualTo(both);
      assertThat(in.available()).isZero();
      assertThat(writeAndRead(headers)).isEqualTo(headers);
    }
  }

  @Test
  void writeLongHeaders() throws IOException {
    Map<String, String> wide = Map.of("user", "x".repeat(100_000));
    Map<String, String> narrow = Map.of("user", "bob");
    for (Map<String, String> headers : List.of(narrow, wide, wide, narrow)) {
      assertThat(writeAndRead(headers)).isEqualTo(headers);
    }
  }

  @Test
  void writeAsTheThreadContextDoes() throws IOException {
    Map<String, String> headers = Map.of("user", "ada", "trace", "1");
    BytesStreamOutput expected = new BytesStreamOutput();
    expected.writeMap(headers, StreamOutput::writeString, StreamOutput::writeString);
    BytesStreamOutput out = new BytesStreamOutput();
    encoder.write(headers, out);
    encoder.write(headers, out);
    assertThat(out.bytes().slice(0, expected.size())).isEqualTo(expected.bytes());
    assertThat(out.size()).isEqualTo(2 * expected.size());
  }
}
