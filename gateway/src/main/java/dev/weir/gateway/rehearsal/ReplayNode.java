package dev.weir.gateway.rehearsal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A node that replays recorded responses on a free port of the loopback address, with one thread
 * for each connection. It does not respond to requests that have no recorded response, such as the
 * poll for a change of the cluster's metadata.
 */
final class ReplayNode implements AutoCloseable {
  private final ServerSocket listener;
  private final TransportRecording recording;
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final Set<String> unanswered = new ConcurrentSkipListSet<>();

  private ReplayNode(ServerSocket listener, TransportRecording recording) {
    this.listener = listener;
    this.recording = recording.withPort(listener.getLocalPort());
  }

  static ReplayNode start(TransportRecording recording) throws IOException {
    ServerSocket listener = new ServerSocket();
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    ReplayNode node = new ReplayNode(listener, recording);
    Thread.ofPlatform().daemon().name("recorded-node").start(node::accept);
    return node;
  }

  int port() {
    return listener.getLocalPort();
  }

  /** The requests without a recorded response. */
  Set<String> unanswered() {
    return unanswered;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        connections.add(socket);
        Thread.ofPlatform().daemon().name("recorded-channel").start(() -> serve(socket));
      } catch (IOException closed) {
        // the listener is closed, or the peer has disconnected
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      DataInputStream in =
          new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      OutputStream out = socket.getOutputStream();
      for (RecordedFrame frame = RecordedFrame.read(in);
          frame != null;
          frame = RecordedFrame.read(in)) {
        RecordedFrame response = frame.isPing() ? frame : recording.findAnswer(frame);
        if (response == null) {
          unanswered.add(frame.key().toString());
        } else {
          out.write(response.bytes());
        }
      }
    } catch (IOException disconnected) {
      // the gateway has closed the channel
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : connections) {
        socket.close();
      }
    } catch (IOException e) {
      // the process ends next
    }
  }
}
