/**
 * The vocabulary of the gateway: plain values, and the few interfaces at which modules meet.
 * Depends on the JDK alone; every module may use it. Values are immutable and safe on any thread; a
 * type that is confined to a thread says so.
 */
@NullMarked
package dev.weir.model;

import org.jspecify.annotations.NullMarked;
