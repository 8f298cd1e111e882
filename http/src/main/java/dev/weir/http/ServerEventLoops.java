package dev.weir.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.util.function.Predicate;

/**
 * The event loops of a server. The caller owns and closes them.
 *
 * @param acceptors accept connections
 * @param workers serve connections; each request stays on one of these loops
 * @param serverChannel the class of listening channels; matches the kind of event loop
 * @param allocator allocates all buffers of connections
 * @param moveAway whether a connection of this loop should be closed after its response, so that
 *     its client opens another one on a better loop
 */
public record ServerEventLoops(
    EventLoopGroup acceptors,
    EventLoopGroup workers,
    Class<? extends ServerChannel> serverChannel,
    ByteBufAllocator allocator,
    Predicate<EventLoop> moveAway) {}
