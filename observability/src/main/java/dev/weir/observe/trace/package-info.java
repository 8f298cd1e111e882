/**
 * Requests as OpenTelemetry traces: which are recorded, what their spans tell, and their way to a
 * collector. The only room that knows OpenTelemetry. A request's spans are made at its home and
 * sent by a thread of OpenTelemetry's own.
 */
@NullMarked
package dev.weir.observe.trace;

import org.jspecify.annotations.NullMarked;
