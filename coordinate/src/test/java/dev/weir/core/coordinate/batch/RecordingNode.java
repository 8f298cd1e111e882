package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.ScriptedSender.EmptyFrame;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportService;

/** A node with the plugin's wire format, whose answers the test gives. */
final class RecordingNode implements NodeClient {
  static {
    TransportService.ensureClassloaded(); // it registers the exceptions that nodes send
  }

  final List<Message<?>> messages = new ArrayList<>();
  int retained;

  /** A message that was sent. */
  final class Message<R> {
    final NodeCall<R> call;
    private final ReplyHandler<R> handler;
    private final BytesReference payload;
    boolean abandoned;

    private Message(NodeCall<R> call, ReplyHandler<R> handler) {
      this.call = call;
      this.handler = handler;
      try {
        this.payload = written(call.payload());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The message's payload, which is written once, when it is sent. */
    StreamInput payload() throws IOException {
      return payload.streamInput();
    }

    /** The parent task, and the requests with their actions; reads them as the plugin does. */
    BatchContent content() throws IOException {
      StreamInput in = payload.streamInput();
      String parent = TaskId.readFromStream(in).toString();
      in.readVInt();
      int maxWaitMillis = in.readVInt();
      int maxRunning = in.readVInt();
      Map<String, String> payloads = new HashMap<>();
      List<String> actions = new ArrayList<>();
      for (int left = in.readVInt(); left > 0; left--) {
        actions.add(in.readString());
        StreamInput request = in.readBytesReference().streamInput();
        TaskId.readFromStream(request);
        payloads.put(request.readString(), actions.getLast());
      }
      return new BatchContent(parent, maxWaitMillis, maxRunning, actions, payloads.keySet());
    }

    ReplyHandler<R> handler() {
      return handler;
    }

    void reply(Writeable response) throws IOException {
      BytesArray bytes = new BytesArray(BytesReference.toBytes(written(response)));
      R reply =
          call.reader()
              .read(
                  new FrameStreamInput(
                      bytes, Version.CURRENT, new NamedWriteableRegistry(List.of()), false));
      handler.onReply(reply, new CountedFrame(bytes.length()));
    }

    void fail(NodeCallException.Kind kind, Exception cause) {
      handler.onFailure(new NodeCallException(kind, "n1", cause, new byte[] {1}));
    }
  }

  /** What a batch contains. */
  record BatchContent(
      String parent, int maxWaitMillis, int maxRunning, List<String> actions, Set<String> texts) {}

  /** Counts its references. */
  private final class CountedFrame implements ReplyFrame {
    private final int bytes;

    CountedFrame(int bytes) {
      this.bytes = bytes;
    }

    @Override
    public Map<String, Set<String>> responseHeaders() {
      return new EmptyFrame().responseHeaders();
    }

    @Override
    public int wireBytes() {
      return bytes;
    }

    @Override
    public void retain() {
      retained++;
    }

    @Override
    public void release() {
      retained--;
    }
  }

  static BytesReference written(Writeable written) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    written.writeTo(out);
    return out.bytes();
  }

  @Override
  public NodeEndpoint endpoint() {
    return new NodeEndpoint(
        "n1", "", "n1", InetSocketAddress.createUnresolved("n1", 1), null, Set.of(), Map.of(), "");
  }

  @Override
  public <R> PendingCall send(NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
    Message<R> message = new Message<>(call, handler);
    messages.add(message);
    return () -> {
      message.abandoned = true;
      return true;
    };
  }

  @Override
  public boolean isConnected() {
    return true;
  }
}
