"""A speech service on this machine in place of a hosted one, by Gradio: it speaks each text as a tone of 500 Hz.

usage: speech_service.py PORT      also answers the hub's question for the address of the space
"""

import sys

import fastapi
import gradio
import uvicorn
from exercise_media import tone

SPACE = "/api/spaces/ResembleAI/Chatterbox-Multilingual-TTS"


def speak(text_input, language_id, audio_prompt_path_input):
    assert text_input and language_id == "en" and audio_prompt_path_input.endswith(".wav")
    tone("/tmp/spoken.wav", 500, 6)
    return "/tmp/spoken.wav"


def main(port):
    app = fastapi.FastAPI()

    @app.get(SPACE)
    @app.get(SPACE + "/runtime")
    def space():
        return {
            "id": SPACE.removeprefix("/api/spaces/"), "host": f"http://127.0.0.1:{port}", "subdomain": "local", "sdk": "gradio",
            "private": False, "disabled": False, "tags": [], "likes": 0, "stage": "RUNNING", "hardware": {},
            "runtime": {"stage": "RUNNING", "hardware": {}, "storage": None, "gcTimeout": None},
        }  # fmt: skip

    inputs = [gradio.Textbox(label="text_input"), gradio.Textbox(label="language_id"), gradio.Audio(type="filepath", label="audio_prompt_path_input")]
    page = gradio.Interface(speak, inputs, gradio.Audio(type="filepath"), api_name="generate_tts_audio")
    uvicorn.run(gradio.mount_gradio_app(app, page, path="/", allowed_paths=["/tmp"]), host="127.0.0.1", port=port, log_level="error")


main(int(sys.argv[1]))
