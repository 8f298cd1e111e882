package dev.weir.gateway.rehearsal;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The recorded responses of a real node, by their requests.
 *
 * <p>File format: gzip of an int32 count, then for each response its action and request name (both
 * as {@link DataOutputStream#writeUTF} writes them), its part (int64), its length (int32) and its
 * frame.
 *
 * @param answers response frames, in the order of their arrival
 */
public record TransportRecording(Map<RecordedFrame.Key, RecordedFrame> answers) {
  private static final String RESOURCE = "recording.gz";

  /** Copies the responses in their order. */
  public TransportRecording {
    answers = Collections.unmodifiableMap(new LinkedHashMap<>(answers));
  }

  /** Reads the recording in the gateway's jar. */
  static TransportRecording load() throws IOException {
    try (InputStream in = TransportRecording.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IOException("got no resource " + RESOURCE + " (expected: a recording)");
      }
      return read(in);
    }
  }

  static TransportRecording read(InputStream file) throws IOException {
    try (DataInputStream in = new DataInputStream(new GZIPInputStream(file))) {
      Map<RecordedFrame.Key, RecordedFrame> answers = new LinkedHashMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        RecordedFrame.Key key = new RecordedFrame.Key(in.readUTF(), in.readUTF(), in.readLong());
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        answers.put(key, new RecordedFrame(frame));
      }
      return new TransportRecording(answers);
    }
  }

  /** Writes the recording, and closes the stream. */
  public void write(OutputStream file) throws IOException {
    try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(file))) {
      out.writeInt(answers.size());
      for (Map.Entry<RecordedFrame.Key, RecordedFrame> answer : answers.entrySet()) {
        out.writeUTF(answer.getKey().action());
        out.writeUTF(answer.getKey().requestName());
        out.writeLong(answer.getKey().part());
        out.writeInt(answer.getValue().bytes().length);
        out.write(answer.getValue().bytes());
      }
    }
  }

  /** The same recording from a node on another port of the loopback address. */
  TransportRecording withPort(int port) {
    Map<RecordedFrame.Key, RecordedFrame> moved = new LinkedHashMap<>();
    answers.forEach((key, frame) -> moved.put(key, frame.withPort(port)));
    return new TransportRecording(moved);
  }

  /** The response to a request; null when none was recorded. */
  @Nullable RecordedFrame findAnswer(RecordedFrame request) throws IOException {
    RecordedFrame answer = answers.get(request.key());
    return answer == null ? null : answer.withRequestId(request.requestId());
  }
}
