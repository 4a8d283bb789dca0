// snug.hpp - snug.h for C++20: objects that close themselves, errors that are thrown.
//
// An exception must not leave a callback, which C calls: session::run keeps what its output function
// throws, interrupts the cell, and throws it when the cell has ended.
#pragma once
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <snug/snug.h>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace snug {

class error : public std::runtime_error {
public:
    explicit error(int code) : std::runtime_error(snug_error_message()), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

private:
    int code_;
};

inline void check(int code)
{
    if (code)
        throw error(code);
}

template <auto Free> struct deleter {
    template <class T> void operator()(T *object) const noexcept { Free(object); }
};

class result {
public:
    explicit result(snug_result *object) : object_(object) {}
    [[nodiscard]] snug_status status() const noexcept { return snug_result_status(object_.get()); }
    [[nodiscard]] snug_state state() const noexcept { return snug_result_state(object_.get()); }
    [[nodiscard]] std::string_view text(snug_stream which) const noexcept
    {
        std::size_t len = 0;
        const char *text = snug_result_text(object_.get(), which, &len);
        return {text, len};
    }
    [[nodiscard]] std::string_view json() const
    {
        std::size_t len = 0;
        const char *text = snug_result_json(object_.get(), &len);
        if (!text)
            throw std::bad_alloc();
        return {text, len};
    }

private:
    std::unique_ptr<snug_result, deleter<snug_result_free>> object_;
};

// Lives as long as it or a session of it does: snug_host_close refuses while sessions are open.
class host {
public:
    explicit host(const snug_host_options *options = nullptr)
    {
        snug_host *object = nullptr;

        check(snug_host_open(&object, options));
        object_.reset(object, [](snug_host *last) { snug_host_close(last); });
    }
    [[nodiscard]] const std::shared_ptr<snug_host> &get() const noexcept { return object_; }

private:
    std::shared_ptr<snug_host> object_;
};

class session {
public:
    using output = std::function<void(snug_stream, std::string_view)>;

    explicit session(const host &of, snug_session_options options = SNUG_SESSION_OPTIONS_INIT,
                     output function = {})
        : host_(of.get()), callback_(std::make_unique<callback>())
    {
        snug_session *object = nullptr;

        if (function) {
            options.on_output = call_output;
            options.payload = callback_.get();
            callback_->function = std::move(function);
        }
        check(snug_session_open(&object, host_.get(), &options));
        object_.reset(object);
        callback_->session = object;
    }

    result run(std::string_view source, std::optional<std::chrono::milliseconds> wall = {})
    {
        snug_result *object = nullptr;
        snug_limits limits = SNUG_LIMITS_INIT;

        if (wall)
            limits.wall_ms = static_cast<std::uint64_t>(wall->count());
        check(snug_session_run(&object, object_.get(), source.data(), source.size(), &limits));
        result made(object);
        if (std::exception_ptr thrown = std::exchange(callback_->thrown, nullptr))
            std::rethrow_exception(thrown);
        return made;
    }
    void interrupt() noexcept { snug_session_interrupt(object_.get()); }
    void reset() { check(snug_session_reset(object_.get())); }

private:
    struct callback {
        output function;
        std::exception_ptr thrown;
        snug_session *session = nullptr;
    };

    static void call_output(void *payload, snug_stream stream, const char *text, std::size_t len) noexcept
    {
        auto &self = *static_cast<callback *>(payload);

        if (self.thrown)
            return;
        try {
            self.function(stream, {text, len});
        } catch (...) {
            self.thrown = std::current_exception();
            snug_session_interrupt(self.session);
        }
    }

    std::shared_ptr<snug_host> host_; // outlives the session
    std::unique_ptr<callback> callback_;
    std::unique_ptr<snug_session, deleter<snug_session_close>> object_;
};

} // namespace snug
