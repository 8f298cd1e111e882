/**
 * What the head of a request tells before its body is read: whose it is, which indices it names.
 * Pure; safe on any thread.
 */
@NullMarked
package dev.weir.admission.head;

import org.jspecify.annotations.NullMarked;
