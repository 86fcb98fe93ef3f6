// inlay completion: what a shell needs to complete commands, options and values, from the program's own definitions.
#include "common.hpp"

namespace inlay::tool {
namespace {
struct completion_arguments {
    std::string shell;
    bool quiet = false;  // only what was requested is printed
};
std::string options_of_command(const command& c) {
    std::string names;
    for (const listed_option& o : c.options()) {
        for (const std::string& name : o.long_names) names += (names.empty() ? "--" : " --") + name;
        for (const std::string& name : o.short_names) names += (names.empty() ? "-" : " -") + name;
    }
    return names;
}
std::string members_of(const listed_option& o) {  // npy pb, of FORMAT:{npy,pb}
    std::string text = o.type_name;
    const std::size_t begin = text.find('{'), end = text.find('}');
    if (begin == text.npos || end == text.npos) return {};
    text = text.substr(begin + 1, end - begin - 1);
    std::ranges::replace(text, ',', ' ');
    return text;
}
std::string provider_names() {
    std::string names;
    for (const provider_factory& f : provider_factories()) names += (names.empty() ? "" : " ") + short_name(f.name);
    return names;
}
// The values of an option, separated by spaces; empty: a file, or anything.
std::string values_of(const listed_option& o) {
    const std::string name = o.long_names.empty() ? "" : o.long_names.front();
    if (name == "providers" || name == "against-providers" || name == "a") return provider_names();
    if (name == "fallback") return "implicit_cpu never any";
    if (name == "partition") return "order cost";
    return members_of(o);
}
std::string bash(const command& app) {
    std::string commands, options, values;
    for (const command& c : app.commands()) {
        commands += (commands.empty() ? "" : " ") + c.name();
        options += fmt::format("        {}) options=\"{}\" ;;\n", c.name(), options_of_command(c));
        for (const listed_option& o : c.options())
            if (const std::string members = members_of(o); !members.empty())
                values += fmt::format("        {}:{}) values=\"{}\" ;;\n", c.name(),
                                      o.positional ? "*" : "--" + o.long_names.front(), members);
    }
    return fmt::format(R"(# Completion of inlay for bash; made by `inlay completion bash`.
_inlay() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options= values=
    [ "$word" = "=" ] && word=
    [ "$before" = "=" ] && before=${{COMP_WORDS[COMP_CWORD-2]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{} {}" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}}:$before in
        *:--providers | *:--against-providers | *:--a) values="{}" ;;
        *:--fallback) values="implicit_cpu never any" ;;
        *:--partition) values="order cost" ;;
{}    esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _inlay inlay
)",
                       commands, options_of_command(app), options, provider_names(), values);
}
std::string quoted(std::string_view text, std::string_view escaped) {  // between ', with \\ before these characters
    std::string s = "'";
    for (const char c : text) {
        if (escaped.find(c) != escaped.npos) s += '\\';
        s += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return s + "'";
}
std::string zsh(const command& app) {
    std::string commands, options;
    for (const command& c : app.commands()) {
        commands += "        " + quoted(c.name() + ":" + c.about(), "") + "\n";
        options += fmt::format("        {}) _arguments", c.name());
        for (const listed_option& o : c.options()) {
            const std::string values = values_of(o), action = values.empty() ? "_files" : "(" + values + ")";
            if (o.positional) {
                options += " " + quoted("*:value:" + action, "");
                continue;
            }
            const std::string about = "[" + quoted(o.about, "[]:\\").substr(1);
            for (const auto& [dashes, names] : {std::pair("--", o.long_names), std::pair("-", o.short_names)})
                for (const std::string& name : names)
                    options += fmt::format(" '*{}{}{}]{}'", dashes, name, about.substr(0, about.size() - 1),
                                           o.type_name.empty() ? "" : ":value:" + action);
        }
        options += " ;;\n";
    }
    return fmt::format(R"(#compdef inlay
# Completion of inlay for zsh; made by `inlay completion zsh`.
_inlay() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
{}    esac
}}
compdef _inlay inlay
)",
                       commands, options);
}
std::string fish(const command& app) {
    std::string text = "# Completion of inlay for fish; made by `inlay completion fish`.\n";
    for (const command& c : app.commands()) {
        text += fmt::format("complete -c inlay -f -n __fish_use_subcommand -a {} -d {}\n", c.name(),
                            quoted(c.about(), "\\"));
        for (const listed_option& o : c.options()) {
            const std::string values = values_of(o);
            text += fmt::format("complete -c inlay -n '__fish_seen_subcommand_from {}'", c.name());
            for (const std::string& name : o.long_names) text += " -l " + name;
            for (const std::string& name : o.short_names) text += " -s " + name;
            if (!values.empty())
                text += std::string(o.positional ? " -f" : " -x") + " -a " + quoted(values, "");
            else if (!o.positional && !o.type_name.empty())
                text += " -r";
            text += " -d " + quoted(o.about, "\\") + "\n";
        }
    }
    return text;
}
}  // namespace

void add_completion(command& app, action& task) {
    auto a = std::make_shared<completion_arguments>();
    command c = app.add_command(
        "completion",
        "Print what a shell needs to complete commands, options and values: source <(inlay completion bash)");
    c.footer("zsh: source <(inlay completion zsh), once compinit ran; fish: inlay completion fish | source");
    c.add_option("SHELL", a->shell, "For which shell").required().member_of({"bash", "zsh", "fish"});
    add_quiet(c, a->quiet);
    c.on_choice([&app, &task, a] {
        task = [&app, a] {
            fmt::print("{}", a->shell == "zsh" ? zsh(app) : a->shell == "fish" ? fish(app) : bash(app));
            return int(exit_status::done);
        };
    });
}
}  // namespace inlay::tool
